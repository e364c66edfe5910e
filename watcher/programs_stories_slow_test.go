//go:build slow

package watcher

import "testing"

func TestPrograms(t *testing.T) {
	for i := range programs {
		if s := &programs[i]; s.play != nil {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				s.play(t, s)
			})
		}
	}
}
