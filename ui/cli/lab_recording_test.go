package cli

import (
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestARecordingOfALabIsTold: an alert about a lab names the file to look at.
func TestARecordingOfALabIsTold(t *testing.T) {
	home(t, "")
	k, err := keep("lab", keptFiles, modeltest.At(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Write(model.Batch{Events: aSecret().Events}); err != nil {
		t.Fatal(err)
	}
	told := k.status()
	if told.Dir != k.Path() || !told.Writes || !told.Since.Equal(modeltest.At(0)) {
		t.Errorf("it tells %+v", told)
	}
	if _, err := k.End(); err != nil {
		t.Fatal(err)
	}
	if k.status().Writes {
		t.Error("it seems to be written when it is over")
	}
	if code, out, errs := inProcess(t, nil, "ls", "--recording", told.Dir); code != exitOK || !strings.Contains(out, "/jobs/billing") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
