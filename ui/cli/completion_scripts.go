package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// shellScript is how the completion of a shell is written.
type shellScript struct {
	write func(root *cobra.Command, w io.Writer, descriptions bool) error
	// call is the line of cobra's script that hands what was typed to the shell to be
	// evaluated, and guard what stands before it: whatever could run a command in a word
	// that is typed, or was pasted, ends the completion.
	call, guard string
}

// scripts are those of each shell that evaluates what was typed.
var scripts = map[string]shellScript{
	"bash": {(*cobra.Command).GenBashCompletionV2, `    out=$(eval "${requestComp}" 2>/dev/null)
`, `    if [[ ${requestComp} == *[\` + "`" + `\(\)\;\&\|\<\>$'\n'$'\r']* ]]; then
        out="" directive=4
        return
    fi
`},
	"zsh": {genZsh, `    out=$(eval ${requestComp} 2>/dev/null)
`, `    if [[ ${requestComp} == *[\` + "`" + `\(\)\;\&\|\<\>$'\n'$'\r']* ]]; then
        return 1
    fi
`},
	"fish": {(*cobra.Command).GenFishCompletion, `    set -l results (eval $requestComp 2> /dev/null)
`, `    if string match -qr '[\` + "`" + `();&|<>\n\r]' -- "$requestComp"
        return 1
    end
`},
	"powershell": {genPowershell, `    Invoke-Expression -OutVariable out "$RequestComp" 2>&1 | Out-Null
`, `    if ($RequestComp -match '[();&|<>\r\n]') {
        return
    }
`},
}

func genZsh(root *cobra.Command, w io.Writer, descriptions bool) error {
	if descriptions {
		return root.GenZshCompletion(w)
	}
	return root.GenZshCompletionNoDesc(w)
}

func genPowershell(root *cobra.Command, w io.Writer, descriptions bool) error {
	if descriptions {
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenPowerShellCompletion(w)
}

// addScripts adds cobra's command that prints the scripts, with the guards in them.
func addScripts(root *cobra.Command, out io.Writer) {
	root.InitDefaultCompletionCmd()
	for _, c := range commandTree(root) {
		if c.Name() == completionName {
			c.Args, c.RunE = noArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() } // another shell is refused
			c.Long += `
The names of locks are completed, too, if they have nothing in them but the letters
and digits of ASCII and / . _ - : @ + = , % (the last seven not first). All others are
left out: a shell could take a part of such a name for a command.
`
		}
		s, ok := scripts[c.Name()]
		if !ok || !c.HasParent() || c.Parent().Name() != completionName {
			continue
		}
		c.Args = noArgs
		c.RunE = func(cmd *cobra.Command, _ []string) error {
			bare, err := cmd.Flags().GetBool("no-descriptions")
			if err != nil {
				return err
			}
			text, err := s.text(cmd.Root(), !bare)
			if err != nil {
				return err
			}
			_, err = io.WriteString(out, text)
			return err
		}
	}
}

// text is the script with its guard.
func (s shellScript) text(root *cobra.Command, descriptions bool) (string, error) {
	var b bytes.Buffer
	if err := s.write(root, &b, descriptions); err != nil {
		return "", err
	}
	before, after, ok := strings.Cut(b.String(), s.call)
	if !ok || strings.Contains(after, s.call) {
		return "", fmt.Errorf("the script for completion is another than this program knows: it is not safe to use")
	}
	return before + s.guard + s.call + after, nil
}
