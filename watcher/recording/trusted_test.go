package recording

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A folder in which others could put a link is refused before anything is written.
func TestFoldersThatAreNotTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such bits")
	}
	for _, row := range []struct {
		reason, want string
		make         func(dir string) error
	}{
		{"everybody may write", "others may write", func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) }},
		{"a sticky one as /tmp is", "others may write", func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|os.ModeSticky)) }},
		{"the group may write", "others may write", func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) }},
		{"a link", "symbolic link", func(dir string) error {
			return errors.Join(os.Mkdir(dir+"-real", 0o700), os.Symlink(dir+"-real", dir))
		}},
		{"a link in the place of its lock", "no plain file", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir+"-elsewhere", filepath.Join(dir, "lock")))
		}},
	} {
		dir := filepath.Join(t.TempDir(), "ring")
		if err := row.make(dir); err != nil {
			t.Fatal(err)
		}
		_, err := OpenRotation(RotationOptions{Dir: dir, Keep: LeastKeep, MaxBytes: LeastBytes, Lock: func(*os.File) (bool, error) { return true, nil }})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.reason, err, row.want)
		}
		if _, err := os.Stat(dir + "-elsewhere"); err == nil {
			t.Errorf("%s: the link was followed", row.reason)
		}
	}
}
