package cli

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
)

// unzipped are the files of a bundle.
func unzipped(t *testing.T, name string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
	}
	return all
}

// TestAnIncidentInOneFile: a deadlock that another run ended, beside a lock that has nothing to do
// with it.
func TestAnIncidentInOneFile(t *testing.T) {
	home(t, "")
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/shop/cellar/a1", "s3cret-host", 0xa1)
	h.Put(2, "/shop/attic/b2", "", 0xb2)
	h.Put(3, "/shop/kitchen/c3", "", 0xc3)
	h.Put(10, "/shop/cellar/b2", "", 0xb2)
	h.Put(11, "/shop/attic/a1", "s3cret-host", 0xa1)
	h.Add(model.LeaseKeys{At: modeltest.At(12), ID: 0xa1, Keys: []string{"/shop/attic/a1", "/shop/cellar/a1", "/shop/garden"}, Total: 3, Rev: h.Rev})
	h.Add(model.Tick{At: modeltest.At(14)})
	h.End(40, 0xa1)
	h.Add(model.Watching{At: modeltest.At(50), Rev: h.Rev})
	name := stored(t, h.Events...)
	own, _, err := auditLogFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"time":%q,"step":"outcome","user":"ada","kind":"revoke lease","lease":"a1","action":"revoke lease a1","lock":"/shop/cellar","keys":[],"dry_run":false,"etcdctl":"etcdctl lease revoke a1","outcome":"Revoked lease a1","result":"done","revision":%d}`+"\n",
		modeltest.At(40.1).Format(time.RFC3339Nano), h.Rev)
	if err := os.WriteFile(own, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason     string
		args       []string
		page, film []string // what is in them
		nowhere    []string // in no file, and in nothing that is asked of the bundle
		lock       string   // that can be asked for
	}{
		{"the locks concerned, with values masked", nil,
			[]string{"Deadlock", "/shop/cellar and /shop/attic", "ended:</b> ada: Revoked lease a1", "locktop replay"}, []string{"ada: Revoked lease a1 (/shop/cellar)", "Deadlock"}, []string{"kitchen", "s3cret", "garden"}, "/shop/cellar"},
		{"with values", []string{"--values"}, []string{"s3cret-host"}, []string{"s3cret-host"}, []string{"kitchen"}, "/shop/cellar"},
		{"with names masked", []string{"--mask-names"}, []string{"Deadlock", "Revoked lease a1"}, []string{"Deadlock"}, []string{"kitchen", "s3cret", "cellar", "attic", "shop", "ada", "garden"}, ""},
		{"one lock that is asked for", []string{"--lock", "/shop/kitchen"}, []string{"/shop/kitchen"}, nil, []string{"cellar", "attic"}, "/shop/kitchen"},
		{"a part of the time", []string{"--from", "03:04:25"}, []string{"Revoked lease a1"}, nil, []string{"kitchen"}, "/shop/cellar"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "incident.zip")
			code, out, errs := inProcess(t, nil, append([]string{"report", "--recording", name, "--bundle", file}, row.args...)...)
			if code != exitOK || out != "" || !strings.Contains(errs, "a colleague opens it by: locktop replay 'incident.zip'") {
				t.Fatalf("exit %d: %s%s", code, out, errs)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others may read it: %v, %v", info.Mode(), err)
			}
			all := unzipped(t, file)
			if !strings.Contains(all[bundledReadme], "locktop replay 'incident.zip'") {
				t.Errorf("%s", all[bundledReadme])
			}
			_, events, _ := inProcess(t, nil, "events", "--recording", file, "-o", "jsonl")
			code2, said, _ := inProcess(t, nil, "report", "--recording", file, "-o", "md")
			if code2 != exitOK {
				t.Errorf("a report of the bundle: exit %d: %s", code2, said)
			}
			for _, x := range []struct {
				in   string
				want []string
			}{{all[bundledPage], row.page}, {all[bundledFilm], row.film}} {
				for _, want := range x.want {
					if !strings.Contains(x.in, want) {
						t.Errorf("no %q in\n%.3000s", want, x.in)
					}
				}
			}
			for _, no := range row.nowhere {
				for where, text := range map[string]string{"the page": all[bundledPage], "the film": all[bundledFilm], "the readme": all[bundledReadme], "its events": events, "its report": said} {
					if strings.Contains(text, no) {
						t.Errorf("%q in %s", no, where)
					}
				}
			}
			if row.lock != "" {
				if code, _, errs := inProcess(t, nil, "describe", row.lock, "--recording", file, "--at", "03:04:30"); code != exitOK && code != exitBad || strings.Contains(errs, "there is no lock") {
					t.Errorf("describe: exit %d: %s", code, errs)
				}
			}
			if code, _, errs := inProcess(t, nil, "report", "--recording", name, "--bundle", file); code != exitBad || !strings.Contains(errs, "nothing is overwritten") {
				t.Errorf("over it: exit %d: %s", code, errs)
			}
		})
	}
	for _, row := range []struct {
		reason, want string
		args         []string
	}{
		{"of a cluster there is no recording", "--recording FILE", []string{"--bundle", "x.zip"}},
		{"a bundle has its own formats", "--output has no meaning", []string{"--bundle", "x.zip", "--recording", name, "-o", "md"}},
	} {
		if code, _, errs := inProcess(t, nil, append([]string{"report"}, row.args...)...); code != exitBad || !strings.Contains(errs, row.want) {
			t.Errorf("%s: exit %d: %s", row.reason, code, errs)
		}
	}
}

func TestAZIPFileThatIsNoBundle(t *testing.T) {
	home(t, "")
	dir := t.TempDir()
	write := func(file, inner string, method uint16) string {
		name := filepath.Join(dir, file)
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		w, err := z.CreateHeader(&zip.FileHeader{Name: inner, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("hello hello hello hello")); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return name
	}
	torn := filepath.Join(dir, "torn.zip")
	if err := os.WriteFile(torn, []byte("PK\x03\x04 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		write("other.zip", "photo.jpg", zip.Store):        "a ZIP file without recording.rec",
		write("again.zip", bundledRecording, zip.Deflate): "packed by another program: unpack it",
		write("no.zip", bundledRecording, zip.Store):      "not a recording",
		torn: "cannot be read",
	} {
		if code, _, errs := inProcess(t, nil, "ls", "--recording", name); code != exitBad || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", filepath.Base(name), code, errs)
		}
	}
}
