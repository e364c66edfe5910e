package cli

import (
	_ "embed" // for the two files
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"locktop/ui/report"
)

// license is the licence of locktop, notices are the licences and notices of the modules that are
// linked into it. The program carries them wherever it goes.
var (
	//go:embed LICENSE
	license string
	//go:embed NOTICES
	notices string
)

// etcdClientModule is the module whose version says which releases of etcd this
// program was made for.
const etcdClientModule = "go.etcd.io/etcd/client/v3"

// build is what the program knows of how it was built. What was not recorded is
// null in JSON.
type build struct {
	Version    string  `json:"version"`
	Commit     *string `json:"commit"`
	Time       *string `json:"time"` // of the commit
	Modified   *bool   `json:"modified"`
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
	EtcdClient *string `json:"etcd_client"`
}

// buildOf reads the record that the linker left, nil if it left none.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == etcdClientModule {
			if m.Replace != nil {
				m = m.Replace
			}
			b.EtcdClient = &m.Version
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = &s.Value
		case "vcs.time":
			b.Time = &s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			b.Modified = &dirty
		}
	}
	return b
}

// thisBuild is how this program was built.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
}

// String is one line for a person.
func (b build) String() string {
	commit := "commit not recorded"
	if b.Commit != nil {
		commit = "commit " + *b.Commit
		if b.Modified != nil && *b.Modified {
			commit += " with changes"
		}
		if b.Time != nil {
			commit += " of " + *b.Time
		}
	}
	etcd := "unknown"
	if b.EtcdClient != nil {
		etcd = *b.EtcdClient
	}
	return strings.Join([]string{"locktop " + b.Version, commit, b.Go, b.OS + "/" + b.Arch, "etcd client " + etcd}, ", ")
}

func versionCmd(e *env) *cobra.Command {
	var output string
	var licences bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the versions of locktop and of its etcd client, and what it was built from",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if licences {
				if cmd.Flags().Changed("output") {
					return bad("--notices prints text: leave -o %s out", output)
				}
				_, err := fmt.Fprintf(e.out, "%s\n%s", license, notices)
				return err
			}
			if output == "json" {
				return report.WriteJSON(e.out, thisBuild(), "  ")
			}
			_, err := fmt.Fprintln(e.out, thisBuild())
			return err
		},
	}
	addOutput(cmd, &output, tableOrJSON, "table (one line) or json")
	cmd.Flags().BoolVar(&licences, "notices", false, "print the licence of locktop, and the licences and notices of what is linked into it")
	return cmd
}
