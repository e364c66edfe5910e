// Command pictures takes the pictures of the documents from today's program: it builds
// it, lets it run on a pseudo-terminal, presses its keys, and writes what stands on the
// screen as SVG into .pictures.
//
//	go -C demo/bench run ./pictures              all of them
//	go -C demo/bench run ./pictures demo lab     some of them
//
// One is a film: rows of text that come and go by CSS, without a script. A reader who
// asked for no motion sees its last moment.
//
// Where to begin: scenes.go says what is done in each picture, stage.go how a program is
// looked at, terminal.go what its bytes mean, svg.go how cells are drawn.
package main

import (
	"context"
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
	for _, s := range scenes {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		svg, err := s.take(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(root, ".pictures", s.name+".svg"), []byte(svg), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(progress, "%s.svg: %d KiB\n", s.name, len(svg)>>10)
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

// take plays a scene, and draws it.
func (s scene) take(ctx context.Context, dir string) (svg string, err error) {
	st, err := raise(ctx, filepath.Join(dir, "locktop"), dir, s)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, st.leave()) }()
	var stop func() film
	for i, do := range s.steps {
		if err = do(st); err != nil {
			err = fmt.Errorf("step %d: %w", i+1, err)
			break
		}
		if stop == nil && st.caption != "" {
			stop = st.roll()
		}
	}
	shot := film{st.look()}
	if stop != nil {
		shot = stop()
	}
	if err != nil {
		return "", err
	}
	g := dark
	if slices.Contains(s.args, "light") {
		g = light
	}
	return g.draw(shot), nil
}
