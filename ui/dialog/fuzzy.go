package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How well a text fits what was typed. The figures matter only beside each other: all letters in one
// piece come before letters with gaps, the beginning of a word before its middle, a short text before a
// long one.
const (
	fitsWhole   = 2000 // beside what fits in one piece
	fitsInPiece = 1000
	fitsAtStart = 200
	fitsAtWord  = 100
	fitsApart   = 500
	fitsGap     = 8 // less for each letter between
	fitsShort   = 4 // letters more that count one less
)

// spread is how far letters that belong together may lie apart: in so many letters for each.
func spread(letters int) int { return 3*letters + 6 }

// fuzzy says how well a text fits a pattern in small letters, 0 for not at all, and which of its bytes
// are the letters that were found.
func fuzzy(text, pattern string) (score int, from, to int) {
	if pattern == "" {
		return 1, 0, 0
	}
	low := strings.ToLower(text)
	if len(low) != len(text) { // the letters stand elsewhere in it
		low = text
	}
	best := 0
	for at := 0; at < len(low); {
		i := strings.Index(low[at:], pattern)
		if i < 0 {
			break
		}
		i += at
		s := fitsInPiece - len(low)/fitsShort
		switch {
		case len(low) == len(pattern):
			s += fitsWhole
		case i == 0:
			s += fitsAtStart
		case wordBegins(low, i):
			s += fitsAtWord
		}
		if s > best {
			best, from, to = s, i, i+len(pattern)
		}
		at = i + 1
	}
	if best > 0 {
		return best, from, to
	}
	letters := strings.ReplaceAll(pattern, " ", "")
	end := ends(low, letters)
	if end < 0 {
		return 0, 0, 0
	}
	start := begins(low[:end], letters)
	n := utf8.RuneCountInString(letters)
	if wide := utf8.RuneCountInString(low[start:end]); wide <= spread(n) {
		best = fitsApart - fitsGap*(wide-n) - len(low)/fitsShort
		if start == 0 || wordBegins(low, start) {
			best += fitsAtWord
		}
	}
	return max(0, best), start, end
}

// ends is the byte behind the last letter where all of them follow each other for the first time,
// -1 if they do not.
func ends(text, letters string) int {
	at := 0
	for _, r := range letters {
		i := strings.IndexRune(text[at:], r)
		if i < 0 {
			return -1
		}
		at += i + utf8.RuneLen(r)
	}
	return at
}

// begins is the byte of the first letter, where all follow each other as close to the end as they do.
func begins(text, letters string) int {
	at := len(text)
	for letters != "" {
		r, n := utf8.DecodeLastRuneInString(letters)
		letters = letters[:len(letters)-n]
		at = strings.LastIndex(text[:at], string(r))
	}
	return at
}

// wordBegins says whether a word begins at a byte of a text.
func wordBegins(text string, at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// lettersIn cuts the part of a text that fits into what was typed and what lies between, in turns: the
// first piece lies between.
func lettersIn(part, pattern string) (pieces []string) {
	if strings.EqualFold(part, pattern) {
		return []string{"", part}
	}
	letters := []rune(strings.ReplaceAll(pattern, " ", ""))
	between := true
	var piece strings.Builder
	for _, r := range part {
		typed := len(letters) > 0 && unicode.ToLower(r) == letters[0]
		if typed == between {
			pieces = append(pieces, piece.String())
			piece.Reset()
			between = !between
		}
		if typed {
			letters = letters[1:]
		}
		piece.WriteRune(r)
	}
	return append(pieces, piece.String())
}
