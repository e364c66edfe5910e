package cli

import (
	"github.com/spf13/cobra"

	"locktop/demo/cluster"
)

// memberCommand is the hidden command that runs a member of a lab in a process of
// its own.
const memberCommand = "lab-member"

func (e *env) memberCmd() *cobra.Command {
	return &cobra.Command{
		Use:                memberCommand,
		Hidden:             true,
		DisableFlagParsing: true, // they are the cluster's
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			return cluster.RunMember(cmd.Context(), args, e.in, e.stdout)
		},
	}
}
