package cli

import "github.com/spf13/cobra"

// addPlaces has a command take prefixes as its arguments, as people of kubectl and etcdctl type
// them. An argument is a --prefix with fewer letters: the same flag is set, so that the
// environment, a profile, a namespace and a recording are treated alike.
func addPlaces(cmd *cobra.Command) {
	all := cmd.Flags().BoolP("all-prefixes", "A", false, "look at all keys, whatever LOCKTOP_PREFIX or the profile says; with --namespace at all of that")
	cmd.Use += " [PREFIX|LOCK]..."
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		places := args
		if *all {
			if len(args) > 0 || cmd.Flags().Changed("prefix") {
				return bad("--all-prefixes looks at all keys: leave it out, or the prefix")
			}
			places = []string{""}
		}
		for _, place := range places {
			if place == "" && !*all {
				return bad("%s got a prefix of nothing: name one, or say --all-prefixes", nameOf(cmd))
			}
			if err := cmd.Flags().Set("prefix", place); err != nil {
				return badInput{err}
			}
		}
		return nil
	}
}
