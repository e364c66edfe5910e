package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const containerfile = "../../.packages/Containerfile"

// folder holds this test as two programs.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	for _, arch := range []string{"amd64", "arm64"} {
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "locktop_linux_"+arch), program, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files are those of an archive, and fails the test if it is none.
func files(t *testing.T, from io.Reader) (all map[string][]byte, heads []*tar.Header) {
	t.Helper()
	all = map[string][]byte{}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all, heads
		}
		content, err2 := io.ReadAll(r)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		all[h.Name], heads = content, append(heads, h)
	}
}

// TestTheImageRunsAsNobody: each blob is what its name says, and the image of each processor has
// the program and nothing else, for a user who is nobody.
func TestTheImageRunsAsNobody(t *testing.T) {
	dir := folder(t)
	r, err := readRecipe(containerfile)
	if err != nil || r.user != "65534:65534" || r.to != "locktop" {
		t.Fatalf("%+v, %v", r, err)
	}
	archive := filepath.Join(dir, "image.tar")
	program := filepath.Join(dir, "locktop_linux_amd64")
	if err := writeImage(archive, r, []image{{"amd64", program}, {"arm64", program}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, _ := files(t, f)
	read := func(d descriptor, into any) []byte {
		t.Helper()
		content, ok := all["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if !ok || digest(content) != d.Digest || len(content) != d.Size {
			t.Fatalf("%s is not there, or is something else", d.Digest)
		}
		if into != nil {
			if err := json.Unmarshal(content, into); err != nil {
				t.Fatal(err)
			}
		}
		return content
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(all["index.json"], &index); err != nil || len(index.Manifests) != 2 {
		t.Fatalf("%v: %s", err, all["index.json"])
	}
	for i, arch := range []string{"amd64", "arm64"} {
		if got := index.Manifests[i].Platform["architecture"]; got != arch {
			t.Errorf("image %d is for %s", i, got)
		}
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		read(index.Manifests[i], &manifest)
		var config struct {
			Architecture string
			Config       struct {
				User            string
				Entrypoint, Cmd []string
			}
			Rootfs struct {
				IDs []string `json:"diff_ids"`
			}
		}
		read(manifest.Config, &config)
		if c := config.Config; c.User != "65534:65534" || !reflect.DeepEqual(c.Entrypoint, []string{"/locktop"}) || !reflect.DeepEqual(c.Cmd, []string{"serve"}) || config.Architecture != arch {
			t.Errorf("%+v", config)
		}
		zip, err := gzip.NewReader(bytes.NewReader(read(manifest.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(zip)
		if err != nil || len(manifest.Layers) != 1 || digest(layer) != config.Rootfs.IDs[0] {
			t.Fatalf("the layer is another one: %v", err)
		}
		if _, heads := files(t, bytes.NewReader(layer)); len(heads) != 1 || heads[0].Name != "locktop" || heads[0].Mode != 0o755 {
			t.Errorf("the layer holds %+v", heads)
		}
	}
}

// TestTheSameParcelTwice: sums are of all that is there, a bill says what is in a program, and another time
// makes the same bytes.
func TestTheSameParcelTwice(t *testing.T) {
	var sums [2][]byte
	for i := range sums {
		dir := folder(t)
		if err := parcel(dir, containerfile); err != nil {
			t.Fatal(err)
		}
		var err error
		if sums[i], err = os.ReadFile(filepath.Join(dir, "checksums.txt")); err != nil {
			t.Fatal(err)
		}
		bill, err := os.ReadFile(filepath.Join(dir, "locktop_linux_amd64.cdx.json"))
		if err != nil || !bytes.Contains(bill, []byte(`"pkg:golang/std@1.`)) || !bytes.Contains(bill, []byte(`"SHA-256"`)) {
			t.Errorf("%v: %s", err, bill)
		}
		names, err := os.ReadDir(dir)
		if err != nil || len(names) != bytes.Count(sums[i], []byte("\n"))+1 {
			t.Errorf("%d files, and the sums\n%s", len(names), sums[i])
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("\n%s\n%s", sums[0], sums[1])
	}
}

func TestAContainerfileThatSaysMore(t *testing.T) {
	for _, text := range []string{"FROM debian", "FROM scratch\nRUN true", "FROM scratch\nUSER a", "ENTRYPOINT a"} {
		name := filepath.Join(t.TempDir(), "Containerfile")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := readRecipe(name); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}
