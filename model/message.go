package model

import (
	"reflect"
	"slices"
	"time"
)

// MessageID names a sentence. Package text has its words.
type MessageID string

// Message is a sentence as data: which one it is, and what it speaks of. The words are made
// where somebody reads them: package text does that, in each language. The zero Message says
// nothing.
//
// Arguments are strings, which are names and keys as they came, in bytes; [Verbatim] text;
// numbers, durations and a [Span]; lease ids, codes and other named words of this package; and
// messages, or slices of them.
type Message struct {
	ID   MessageID
	Args []any
}

// Say returns the message of that id about some arguments.
func Say(id MessageID, args ...any) Message { return Message{id, args} }

// Quoted returns the words of somebody else, if that is all that the message says.
func (m Message) Quoted() (words string, is bool) {
	if m.ID == "quote" && len(m.Args) == 1 {
		words, is = m.Args[0].(string)
	}
	return words, is
}

// IsZero says whether the message says nothing.
func (m Message) IsZero() bool { return m.ID == "" }

// Says says whether a message, or one that it speaks of, is of that id.
func (m Message) Says(id MessageID) bool {
	return m.ID == id || slices.ContainsFunc(m.Args, func(arg any) bool {
		part, is := arg.(Message)
		return is && part.Says(id)
	})
}

// TryingAgain adds to why something failed that it is tried again, ListingAnew that the keys are listed anew.
func TryingAgain(why Message) Message { return Say("trying-again", why) }

// ListingAnew: see [TryingAgain].
func ListingAnew(why Message) Message { return Say("listing-anew", why) }

// WithoutNext returns why something failed, without what is done next, for who does that no more.
func (m Message) WithoutNext() Message {
	if (m.ID == "trying-again" || m.ID == "listing-anew") && len(m.Args) == 1 {
		if why, is := m.Args[0].(Message); is {
			return why
		}
	}
	return m
}

// Same says whether both say the same of the same.
func (m Message) Same(o Message) bool { return reflect.DeepEqual(m, o) }

// Verbatim is text that is said as it is, in every language: a command to copy, a name that was
// made fit for a terminal, the words of a server or a drill file.
type Verbatim string

// Span is how long something took, and at least that long where AtLeast is true.
type Span struct {
	For     time.Duration
	AtLeast bool
}

// KeysOf names the keys under a prefix in a sentence, as [KeysUnder] does.
func KeysOf(prefix string) Message {
	if prefix == "" {
		return Say("all-keys")
	}
	return Say("keys-under", prefix)
}

// PrefixWord names a prefix in a sentence.
func PrefixWord(prefix string) Message {
	if prefix == "" {
		return Say("all-keys")
	}
	return Say("quote", prefix)
}
