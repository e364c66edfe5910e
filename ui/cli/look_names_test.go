package cli

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/store"
	"locktop/watcher/hostile"
)

// Whatever its bytes: a name that was printed, in a table or in JSON, is taken back by each command.
func TestNamesAreGivenBack(t *testing.T) {
	home(t, "")
	names := []string{"", "/jobs/a", "/a\xff\xfe", `/back\nslash`, "/new\nline", "/e\u0301", "/\u202eleft", `/"quoted" it's`, `/two\\`, "/a=b", "/\\\xff", "/\U0001f512", "/pad ", " /pad"}
	for i, name := range names {
		t.Run(model.Printable(name), func(t *testing.T) {
			t.Parallel()
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key(name, int64(0xa1+i), 5))
			asJSON := name
			if !utf8.ValidString(name) {
				asJSON = model.Printable(name)
			}
			for how, arg := range map[string]string{"as it is": name, "as a table prints it": model.PrintableName(name), "as JSON has it": asJSON} {
				for _, args := range [][]string{{"describe", arg}, {"ls", arg}, {"ls", "--prefix", arg}, {"doctor", arg}, {"break", arg, "--dry-run", "--recipe", model.Printable(name) + "=mutex"}} {
					if arg == "" && args[0] != "describe" {
						continue // all keys have another word, and a variable that is empty breaks no lock
					}
					code, out, errs := inProcess(t, nil, append(args, "--endpoints", s.Addr)...)
					if code != exitOK || strings.Contains(out+errs, "no lock") || args[0] != "doctor" && !strings.Contains(out, model.PrintableName(name)) {
						t.Errorf("%s, %q: exit %d\n%s%s", how, args, code, out, errs)
					}
				}
			}
			for how, arg := range map[string]string{"as it is": name, "as a table prints it": model.Printable(name)} {
				if code, out, errs := inProcess(t, nil, "ls", "--recipe", arg+"=semaphore:2", "--endpoints", s.Addr); code != exitOK || !strings.Contains(out, "semaphore:2") {
					t.Errorf("%s, --recipe %q: exit %d\n%s%s", how, arg, code, out, errs)
				}
			}
			_, out, errs := inProcess(t, nil, "doctor", "-o", "json", "--expect", model.Printable(name)+"=9", "--endpoints", s.Addr)
			var said struct {
				Seen struct {
					Expected []struct {
						Locks int `json:"locks"`
					} `json:"expected"`
				} `json:"observed"`
			}
			if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Seen.Expected) != 1 || said.Seen.Expected[0].Locks != 1 {
				t.Errorf("--expect %q: %v: %s%s", model.Printable(name), err, out, errs)
			}
			cfg := config{long: []string{model.Printable(name)}}
			if err := cfg.parsePins(); err != nil || !slices.ContainsFunc(cfg.pins, func(p model.Pin) bool { return p.Long && p.Prefix == name }) {
				t.Errorf("--long %q: %v, %v", model.Printable(name), cfg.pins, err)
			}
			code, out, errs := inProcess(t, nil, "ls", "-o", "json", "--endpoints", s.Addr)
			var got struct {
				Locks []struct {
					Name   string `json:"name"`
					Base64 string `json:"name_base64"`
				} `json:"locks"`
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitOK || len(got.Locks) != 1 {
				t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
			}
			raw := got.Locks[0].Name
			if b := got.Locks[0].Base64; b != "" {
				bytes, err := base64.StdEncoding.DecodeString(b)
				if raw = string(bytes); err != nil {
					t.Error(err)
				}
			}
			if raw != name {
				t.Errorf("JSON has %q", raw)
			}
		})
	}
}

// What may be one lock or another is not guessed.
func TestTwoLocksOfOneSpelling(t *testing.T) {
	home(t, "")
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/lock/x\nb", 0xb5, 5), hostile.Key(`/lock/x\nb`, 0xb6, 6))
	for _, r := range []struct {
		arg, want string
		code      int
		reason    string
	}{
		{`/lock/x\nb`, "may be the lock that is printed as", exitBad, "one is called so, and the other is printed so"},
		{`/lock/x\\nb`, `/lock/x\\nb/b6`, exitOK, "as the first is printed"},
		{"/lock/x\nb", `/lock/x\nb/b5`, exitOK, "as the second is called"},
	} {
		for _, args := range [][]string{{"describe", r.arg}, {"break", r.arg, "--dry-run"}} {
			if code, out, errs := inProcess(t, nil, append(args, "--endpoints", s.Addr)...); code != r.code || !strings.Contains(out+errs, r.want) {
				t.Errorf("%s, %q: exit %d, want %d and %q\n%s%s", r.reason, args, code, r.code, r.want, out, errs)
			}
		}
	}
}

// FuzzSpellings: what was printed of a name, and the name itself, mean it.
func FuzzSpellings(f *testing.F) {
	for _, s := range []string{"", "/jobs/a", "/a\xff", `/back\nslash`, "/new\nline", `/x\\x41`, "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, arg := range []string{name, model.Printable(name)} {
			if !slices.Contains(spellings(arg), name) {
				t.Errorf("%q does not mean %q", arg, name)
			}
		}
		s := store.New()
		key := name + "/a1"
		s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{Rev: 5}, model.Listed{Rev: 5, KVs: []model.KV{{Key: key, CreateRev: 1, ModRev: 1, Version: 1, Lease: 0xa1}}, Done: 1, Total: 1}, model.Loaded{Rev: 5}}})
		if s.Lock(name) == nil {
			return // not every name is that of a lock
		}
		if l, err := lockNamed(s, spellings(model.Printable(name))); err != nil || l == nil || l.Name != name {
			t.Errorf("%q is not found by what is printed of it: %v, %v", name, l, err)
		}
	})
}
