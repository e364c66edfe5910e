package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// image is that of one processor.
type image struct{ arch, binary string }

// recipe is what a Containerfile says that copies one file into nothing.
type recipe struct {
	to         string // the file's name in the image
	user       string
	entrypoint []string
	cmd        []string
}

// readRecipe reads a Containerfile, and refuses what it does not know.
func readRecipe(name string) (r recipe, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case line == "" || strings.HasPrefix(line, "#") || line == "FROM scratch":
		case word == "COPY" && strings.HasPrefix(rest, "--chmod=0755 locktop /"):
			r.to = strings.TrimPrefix(rest, "--chmod=0755 locktop /")
		case word == "USER":
			r.user = rest
		case word == "ENTRYPOINT":
			err = json.Unmarshal([]byte(rest), &r.entrypoint)
		case word == "CMD":
			err = json.Unmarshal([]byte(rest), &r.cmd)
		default:
			err = errors.New("it is more than is known here")
		}
		if err != nil {
			return r, fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	if r.to == "" || r.user == "" || len(r.entrypoint) == 0 {
		return r, fmt.Errorf("%s names no file, no user, or nothing to run", name)
	}
	return r, nil
}

// descriptor points at a blob, as OCI has it.
type descriptor struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
}

const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// writeImage writes an archive of images, one for each processor.
func writeImage(archive string, r recipe, images []image) (err error) {
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	to := tar.NewWriter(f)
	blob := func(kind string, content []byte) (descriptor, error) {
		d := descriptor{MediaType: kind, Digest: digest(content), Size: len(content)}
		return d, add(to, "blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:"), 0o644, content)
	}
	value := func(kind string, v any) (descriptor, error) {
		text, err := json.Marshal(v)
		if err != nil {
			return descriptor{}, err
		}
		return blob(kind, text)
	}
	var all []descriptor
	for _, i := range images {
		layer, plain, err := layerOf(i.binary, r.to)
		if err != nil {
			return err
		}
		packed, err := blob(typeLayer, layer)
		if err != nil {
			return err
		}
		config, err := value(typeConfig, map[string]any{"architecture": i.arch, "os": "linux",
			"config": map[string]any{"User": r.user, "Entrypoint": r.entrypoint, "Cmd": r.cmd},
			"rootfs": map[string]any{"type": "layers", "diff_ids": []string{plain}}})
		if err != nil {
			return err
		}
		d, err := value(typeManifest, map[string]any{"schemaVersion": 2, "mediaType": typeManifest, "config": config, "layers": []descriptor{packed}})
		if err != nil {
			return err
		}
		d.Platform = map[string]string{"os": "linux", "architecture": i.arch}
		all = append(all, d)
	}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": typeIndex, "manifests": all})
	if err != nil {
		return err
	}
	return errors.Join(add(to, "index.json", 0o644, index), add(to, "oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)), to.Close())
}

// layerOf is a layer with one file, and the digest of it before it was packed.
func layerOf(binary, name string) (packed []byte, plain string, err error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, "", err
	}
	var layer bytes.Buffer
	zip := gzip.NewWriter(&layer)
	h := sha256.New()
	to := tar.NewWriter(io.MultiWriter(zip, h))
	err = errors.Join(add(to, path.Clean(name), 0o755, program), to.Close(), zip.Close())
	return layer.Bytes(), "sha256:" + hex.EncodeToString(h.Sum(nil)), err
}

// add adds a file of root's without a time.
func add(to *tar.Writer, name string, mode int64, content []byte) error {
	err := to.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(content)), Format: tar.FormatUSTAR})
	if err == nil {
		_, err = to.Write(content)
	}
	return err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
