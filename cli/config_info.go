package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// contextInfo is a context as `config info` shows it.
type contextInfo struct {
	Context      string   `json:"context"`
	Nodes        []string `json:"nodes"`
	Endpoints    []string `json:"endpoints"`
	Roles        []string `json:"roles"`
	CertTTL      string   `json:"certTTL"`
	CertNotAfter string   `json:"certNotAfter"`
}

func newConfigInfo(t *target.Target) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "info",
		Short: "Show the current context: where it points, who you are in it, and how long",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := output.Parse(format, output.Text, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			file, err := t.Open()
			if err != nil {
				return err
			}
			info, err := describeContext(&file.Config, t.Context, time.Now())
			if err != nil {
				return err
			}
			if format != output.Text {
				return output.Write(cmd.OutOrStdout(), format, info)
			}
			return info.writeText(cmd.OutOrStdout())
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "text", "how to write it: text, json or yaml")
	return command
}

func describeContext(config *talosconfig.Config, name string, now time.Time) (*contextInfo, error) {
	context, err := config.Get(name)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = config.Context
	}
	info := &contextInfo{
		Context:   name,
		Nodes:     append([]string{}, context.Nodes...),
		Endpoints: append([]string{}, context.Endpoints...),
		Roles:     []string{},
	}
	_, client, err := context.Credentials()
	if err != nil {
		return nil, fmt.Errorf("context %q: %w", name, err)
	}
	if len(client.Crt) == 0 {
		return info, nil
	}
	certificate, err := pki.ParseCertificate(client.Crt)
	if err != nil {
		return nil, fmt.Errorf("context %q: %w", name, err)
	}
	for _, role := range pki.RolesOf(certificate.Subject.Organization) {
		info.Roles = append(info.Roles, string(role))
	}
	info.CertTTL = humanize.RelTime(certificate.NotAfter, now, "ago", "from now")
	info.CertNotAfter = certificate.NotAfter.UTC().Format(time.DateOnly)
	return info, nil
}

func (i *contextInfo) writeText(w io.Writer) error {
	orNotDefined := func(list []string) string {
		if len(list) == 0 {
			return "not defined"
		}
		return strings.Join(list, ", ")
	}
	text := fmt.Sprintf("Current context:     %s\nNodes:               %s\nEndpoints:           %s\n",
		i.Context, orNotDefined(i.Nodes), orNotDefined(i.Endpoints))
	if i.CertNotAfter != "" {
		text += fmt.Sprintf("Roles:               %s\nCertificate expires: %s (%s)\n",
			orNotDefined(i.Roles), i.CertTTL, i.CertNotAfter)
	}
	_, err := io.WriteString(w, text)
	return err
}
