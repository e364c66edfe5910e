// Command pictures takes the pictures of the documents from today's program: it builds
// it, lets it run on a pseudo-terminal of 24-bit colours, presses its keys, and records what it writes
// as asciinema does. svg-term, a package of npm, draws the recordings as SVG into .pictures.
//
//	go -C demo/bench run ./pictures              all of them
//	go -C demo/bench run ./pictures demo lab     some of them
//
// One is a film: rows that come and go by CSS, without a script.
//
// Where to begin: scenes.go says what is done in each picture, stage.go how a program is run,
// cast.go how it is recorded, render.js how that is drawn.
package main

import (
	"context"
	_ "embed" // for the converter
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := take(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// take takes the named pictures, or all.
func take(ctx context.Context, names []string, progress io.Writer) (err error) {
	for _, n := range names {
		if !slices.ContainsFunc(scenes, func(s scene) bool { return s.name == n }) {
			return fmt.Errorf("there is no picture %q", n)
		}
	}
	root, dir, err := build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := converter(ctx, dir); err != nil {
		return err
	}
	for _, s := range scenes {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		name := filepath.Join(root, ".pictures", s.name+".svg")
		if err := s.take(ctx, dir, name); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(progress, name)
	}
	return os.WriteFile(filepath.Join(root, ".pictures", "README.md"), []byte(gallery()), 0o644)
}

// build builds the program of the sources around this one. The program is in a directory
// of its own, dir.
func build(ctx context.Context) (root, dir string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "locktop").Output()
	if err != nil {
		return "", "", fmt.Errorf("find locktop (run it by go -C demo/bench run ./pictures): %w", err)
	}
	root = strings.TrimSpace(string(out))
	if dir, err = os.MkdirTemp("", "locktop-pictures-"); err != nil {
		return "", "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "locktop"), ".")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", "", errors.Join(fmt.Errorf("build locktop: %w: %s", err, said), os.RemoveAll(dir))
	}
	return root, dir, nil
}

// Files of the converter, which run in a directory of their own.
var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lock []byte
	//go:embed render.js
	script []byte
)

// converter installs what draws the recordings, in the version of the lock file.
func converter(ctx context.Context, dir string) error {
	for name, text := range map[string][]byte{"package.json": manifest, "package-lock.json": lock, "render.js": script} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return run(ctx, dir, "npm", "ci", "--no-audit", "--no-fund", "--silent")
}

func run(ctx context.Context, dir string, line ...string) error {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, said)
	}
	return nil
}

// take plays a scene, and draws it into a file.
func (s scene) take(ctx context.Context, dir, svg string) (err error) {
	if s.width == 0 {
		s.width, s.height = 120, 36
	}
	st, err := raise(ctx, filepath.Join(dir, "locktop"), dir, s)
	if err != nil {
		return err
	}
	for i, do := range s.steps {
		if err = do(st); err != nil {
			err = fmt.Errorf("step %d: %w", i+1, err)
			break
		}
	}
	var all []output
	if err == nil {
		all = st.recorded()
	}
	if err = errors.Join(err, st.leave()); err != nil {
		return err
	}
	cast := filepath.Join(dir, s.name+".cast")
	if err := writeCast(cast, s.width, s.height, all); err != nil {
		return err
	}
	ground, which, when := "dark", "at", all[len(all)-1].at
	if slices.Contains(s.args, "light") {
		ground = "light"
	}
	if st.film > 0 {
		which, when = "from", st.film
	}
	return run(ctx, dir, "node", "render.js", cast, svg, ground, which, fmt.Sprint(when.Milliseconds()))
}
