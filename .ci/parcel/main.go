// Parcel makes of a folder with locktop's binaries what goes out beside them, by nothing but Go:
//
//	go run ./.ci/parcel FOLDER
//
//	NAME.cdx.json   for each binary, what is in it: its modules with versions and hashes, as the Go
//	                linker wrote them down (a bill of materials, CycloneDX 1.5)
//	image.tar       an image for containers of the binaries for Linux, by .packages/Containerfile, in
//	                the layout of OCI: podman load -i image.tar, skopeo copy oci-archive:image.tar …
//	checksums.txt   for sha256sum --check, of all of them
//
// The same binaries make the same bytes, whenever and wherever.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./.ci/parcel FOLDER")
		os.Exit(2)
	}
	if err := parcel(os.Args[1], ".packages/Containerfile"); err != nil {
		fmt.Fprintln(os.Stderr, "parcel:", err)
		os.Exit(1)
	}
}

// parcel writes all that goes with the binaries in a folder.
func parcel(dir, containerfile string) error {
	binaries, err := filepath.Glob(filepath.Join(dir, "locktop_*_*"))
	if err != nil {
		return err
	}
	var images []image
	var out []string
	for _, path := range binaries {
		if strings.HasSuffix(path, ".json") {
			continue
		}
		bill, err := materials(path)
		if err == nil {
			err = os.WriteFile(path+".cdx.json", bill, 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, path, path+".cdx.json")
		if arch, ok := strings.CutPrefix(filepath.Base(path), "locktop_linux_"); ok {
			images = append(images, image{arch: arch, binary: path})
		}
	}
	if len(images) == 0 {
		return fmt.Errorf("%s holds no locktop_linux_*", dir)
	}
	recipe, err := readRecipe(containerfile)
	if err != nil {
		return err
	}
	archive := filepath.Join(dir, "image.tar")
	if err := writeImage(archive, recipe, images); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	var sums strings.Builder
	for _, path := range append(out, archive) {
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sums.String()), 0o644)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// component is a part of a program, as CycloneDX has it.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

// materials is the bill of materials of a binary.
func materials(path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum, err := sumOf(path)
	if err != nil {
		return nil, err
	}
	part := func(name, version string) component {
		return component{Type: "library", Name: name, Version: version, PURL: "pkg:golang/" + name + "@" + version}
	}
	program := part(info.Main.Path, info.Main.Version)
	program.Type, program.Hashes = "application", []hash{{"SHA-256", sum}}
	std := strings.TrimPrefix(info.GoVersion, "go")
	parts := []component{{Type: "library", Name: "std", Version: std, PURL: "pkg:golang/std@" + std}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, part(m.Path, m.Version))
	}
	return json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": program}, "components": parts}, "", "  ")
}
