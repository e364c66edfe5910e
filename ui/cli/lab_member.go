package cli

import (
	"github.com/spf13/cobra"

	"locktop/demo"
	"locktop/demo/cluster"
)

// memberCommand is the hidden command that runs a member of a lab in a process of
// its own.
const memberCommand = "lab-member"

func memberCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:                memberCommand,
		Hidden:             true,
		DisableFlagParsing: true, // they are the cluster's
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			e.resort.disarm() // it ends in order
			return cluster.RunMember(cmd.Context(), args, e.in, e.stdout)
		},
	}
}

// reaperCommand is the hidden command that cleans up after a lab with programs of the user's
// own, however that lab ends.
const reaperCommand = "lab-reaper"

func reaperCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:               reaperCommand,
		Hidden:            true,
		Args:              cobra.ExactArgs(1),
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(_ *cobra.Command, args []string) error {
			e.resort.disarm() // it outlives the lab
			return demo.RunReaper(args[0], e.in)
		},
	}
}
