package cli

import (
	"testing"

	"locktop/ui/draw"
)

// TestSigns: the locale says which characters are sure to look right, and a flag says more.
func TestSigns(t *testing.T) {
	for _, r := range []struct {
		all, ctype, lang string
		look             lookFlags
		want             draw.SignSet
		reason           string
	}{
		{"", "", "", lookFlags{}, draw.SignsUnicode, "a container says nothing"},
		{"", "", "en_GB.UTF-8", lookFlags{}, draw.SignsUnicode, "the usual"},
		{"C", "", "en_GB.UTF-8", lookFlags{}, draw.SignsASCII, "LC_ALL is stronger"},
		{"", "", "C.UTF-8", lookFlags{}, draw.SignsUnicode, "C with an encoding is no C"},
		{"", "POSIX", "ja_JP.UTF-8", lookFlags{}, draw.SignsASCII, "LC_CTYPE is stronger than LANG"},
		{"", "", "zh_CN.UTF-8", lookFlags{}, draw.SignsWide, "ambiguous signs are wide there"},
		{"", "ja_JP.UTF-8", "", lookFlags{}, draw.SignsWide, "there too"},
		{"", "", "ko", lookFlags{}, draw.SignsWide, "a language alone"},
		{"", "", "kok_IN", lookFlags{}, draw.SignsUnicode, "another language that begins alike"},
		{"", "", "zh_CN.UTF-8", lookFlags{ascii: true}, draw.SignsASCII, "a flag is stronger"},
		{"", "", "en_GB.UTF-8", lookFlags{wideSigns: true}, draw.SignsWide, "a flag is stronger"},
	} {
		t.Setenv("LC_ALL", r.all)
		t.Setenv("LC_CTYPE", r.ctype)
		t.Setenv("LANG", r.lang)
		if got := r.look.signs(); got != r.want {
			t.Errorf("%+v: got set %d, want %d: %s", r, got, r.want, r.reason)
		}
	}
}
