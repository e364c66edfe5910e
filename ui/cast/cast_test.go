package cast

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

func TestARecordedTerminalIsInTheFormatOfAsciinema(t *testing.T) {
	var file bytes.Buffer
	w, err := New(&file, Header{Width: 20, Height: 2, Title: "a <b>", Began: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		at     time.Duration
		text   string
		marker bool
		reason string
	}{
		{0, "a\xe2", false, "a letter comes in two parts"},
		{time.Millisecond, "\x96\x88", false, "and is written whole"},
		{time.Second, "What comes next?", true, "a lesson asks"},
		{500 * time.Millisecond, "b", false, "time never goes back"},
		{2 * time.Second, "\x1b[1m<&>", false, "what is no letter is escaped, and nothing else"},
	} {
		if x.marker {
			err = w.Marker(x.at, x.text)
		} else {
			err = w.Output(x.at, []byte(x.text))
		}
		if err != nil {
			t.Errorf("%s: %v", x.reason, err)
		}
	}
	want := `{"version":2,"width":20,"height":2,"timestamp":1700000000,"title":"a <b>"}
[0,"o","a"]
[0.001,"o","█"]
[1,"m","What comes next?"]
[1,"o","b"]
[2,"o","\u001b[1m<&>"]
`
	if file.String() != want {
		t.Errorf("\n%s\nwant\n%s", file.String(), want)
	}
	if length, bytes, markers := w.Written(); length != 2*time.Second || bytes != int64(len(want)) || markers != 1 {
		t.Errorf("written: %s, %d bytes, %d markers", length, bytes, markers)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	if _, err := New(full{}, Header{Width: 1, Height: 1}); err == nil || err.Error() != "write the recorded terminal: no space left" {
		t.Errorf("got %v", err)
	}
}
