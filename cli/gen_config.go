package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/config/validate"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/version"
)

// outputType is a file that `gen config` makes.
type outputType string

const (
	controlPlaneOutput outputType = "controlplane"
	workerOutput       outputType = "worker"
	clientOutput       outputType = "talosconfig"
)

// fileName is what the file is called in a folder.
func (t outputType) fileName() string {
	if t == clientOutput {
		return string(t)
	}
	return string(t) + ".yaml"
}

// genConfigFlags are the flags of `gen config`.
type genConfigFlags struct {
	version           string
	contract          string
	output            string
	outputDir         string
	types             []string
	secrets           string
	kubernetesVersion string
	installDisk       string
	installImage      string
	additionalSANs    []string
	dnsDomain         string
	mirrors           []string
	kubeSpan          bool
	discovery         bool
	imagePolicy       string
	docs              bool
	examples          bool
	patches           patchFlags
	advice            adviceFlag
}

func newGenConfig(g *generated) *cobra.Command {
	f := &genConfigFlags{}
	command := &cobra.Command{
		Use:   "config <cluster name> <cluster endpoint>",
		Short: "Make the machine configs of a new cluster and the client config for it",
		Long: `Make the machine configs of a new cluster and the client config for it.

The endpoint is the URL of the Kubernetes API as all machines reach it, such as
https://10.0.0.10:6443. Without --with-secrets the secrets of the cluster are
made new and only stand in the files: make them first with "gen secrets" if you
want to make configs for the same cluster again.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.genConfig(cmd, f, args[0], args[1])
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.version, "version", "v1alpha1", "layout of the machine config")
	flags.StringVar(&f.contract, "talos-version", "", "config contract to make the configs for, such as v1.12")
	flags.StringVarP(&f.output, "output", "o", "", "`path` to write to: a folder, a file with one output type, - for standard output")
	flags.StringVar(&f.outputDir, "output-dir", "", "folder to write to")
	flags.StringSliceVarP(&f.types, "output-types", "t", []string{string(controlPlaneOutput), string(workerOutput), string(clientOutput)}, "what to make")
	flags.StringVar(&f.secrets, "with-secrets", "", "`file` with the secrets of the cluster")
	flags.StringVar(&f.kubernetesVersion, "kubernetes-version", version.Kubernetes, "Kubernetes version; empty leaves the images out")
	flags.StringVar(&f.installDisk, "install-disk", generate.DefaultInstallDisk, "disk to install to")
	flags.StringVar(&f.installImage, "install-image", generate.DefaultInstallImage, "installer image")
	flags.StringSliceVar(&f.additionalSANs, "additional-sans", nil, "further addresses and names in the certificates of the APIs")
	flags.StringVar(&f.dnsDomain, "dns-domain", generate.DefaultDNSDomain, "domain of the cluster's names")
	flags.StringSliceVar(&f.mirrors, "registry-mirror", nil, "mirrors of image registries: REGISTRY=URL")
	flags.BoolVar(&f.kubeSpan, "with-kubespan", false, "encrypted mesh between the machines")
	flags.BoolVar(&f.discovery, "with-cluster-discovery", true, "machines find each other")
	flags.StringVar(&f.imagePolicy, "image-policy", string(generate.OpenImagePolicy), "which workload images may run: open (all) or closed (those that rules allow, signed)")
	flags.BoolVar(&f.docs, "with-docs", true, "explain the keys in comments")
	flags.BoolVar(&f.examples, "with-examples", true, "show keys that are not used in comments")
	f.patches.add(command)
	f.advice.add(command)
	return command
}

func (g *generated) genConfig(cmd *cobra.Command, f *genConfigFlags, name, endpoint string) error {
	types, err := f.outputTypes()
	if err != nil {
		return err
	}
	options, err := f.options(name, endpoint)
	if err != nil {
		return err
	}
	patches, err := f.patches.load()
	if err != nil {
		return err
	}
	if options.Secrets, err = f.loadSecrets(cmd, options.Contract); err != nil {
		return err
	}
	if err := f.advice.advise(cmd.ErrOrStderr(), validate.KubernetesVersion(options.KubernetesVersion)); err != nil {
		return err
	}
	contents := make(map[outputType][]byte)
	for _, t := range types {
		if contents[t], err = f.generate(cmd, t, options, patches); err != nil {
			return err
		}
	}
	for _, t := range types {
		if f.target() == "-" {
			_, err = cmd.OutOrStdout().Write(contents[t])
		} else {
			err = g.writeConfig(cmd, f.path(t, types), contents[t])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outputTypes checks what is to be made.
func (f *genConfigFlags) outputTypes() ([]outputType, error) {
	if f.version != "v1alpha1" {
		return nil, fmt.Errorf("unknown config version %q: it is v1alpha1", f.version)
	}
	if f.output != "" && f.outputDir != "" {
		return nil, errors.New("--output and --output-dir exclude each other")
	}
	known := []outputType{controlPlaneOutput, workerOutput, clientOutput}
	var types []outputType
	var faults []error
	for _, name := range f.types {
		t := outputType(name)
		if !slices.Contains(known, t) {
			faults = append(faults, fmt.Errorf("unknown output type %q: the types are %q", name, known))
		} else if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(types) == 0 {
		return nil, errors.New("no output type given: name at least one with --output-types")
	}
	if f.target() == "-" && len(types) > 1 {
		return nil, errors.New("only one output type can go to standard output: choose it with --output-types")
	}
	return types, nil
}

func (f *genConfigFlags) options(name, endpoint string) (generate.Options, error) {
	if err := generate.CheckEndpoint(endpoint); err != nil {
		return generate.Options{}, err
	}
	contract, err := generate.ParseContract(f.contract)
	if err != nil {
		return generate.Options{}, err
	}
	mirrors, err := generate.ParseMirrors(f.mirrors)
	if err != nil {
		return generate.Options{}, err
	}
	return generate.Options{
		ClusterName:       name,
		Endpoint:          endpoint,
		Contract:          contract,
		KubernetesVersion: strings.TrimPrefix(f.kubernetesVersion, "v"),
		InstallDisk:       f.installDisk,
		InstallImage:      f.installImage,
		AdditionalSANs:    f.additionalSANs,
		DNSDomain:         f.dnsDomain,
		Mirrors:           mirrors,
		KubeSpan:          f.kubeSpan,
		Discovery:         f.discovery,
		ImagePolicy:       generate.ImagePolicy(f.imagePolicy),
	}, nil
}

func (f *genConfigFlags) loadSecrets(cmd *cobra.Command, contract generate.Contract) (*secrets.Bundle, error) {
	if f.secrets == "" {
		cmd.PrintErrln("generating PKI and tokens")
		return secrets.Generate(contract.SecretsOptions())
	}
	bundle, unknown, err := secrets.Read(f.secrets)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: make it with `talosctl gen secrets`", err)
	}
	if err != nil {
		return nil, err
	}
	for _, key := range unknown {
		cmd.PrintErrf("WARNING: %s: the key %s is not known and is ignored\n", f.secrets, key)
	}
	return bundle, nil
}

func (f *genConfigFlags) generate(cmd *cobra.Command, t outputType, options generate.Options, patches *patchSet) ([]byte, error) {
	if t == clientOutput {
		client, err := generate.ClientConfig(options, time.Time{})
		if err != nil {
			return nil, err
		}
		return client.Encode()
	}
	role := generate.Role(t)
	made, err := generate.MachineConfig(role, options)
	if err != nil {
		return nil, err
	}
	if err := f.advice.advise(cmd.ErrOrStderr(), generatedVerdict(role, made)); err != nil {
		return nil, err
	}
	patched, err := made.Apply(patches.forRole(role)...)
	if err != nil {
		return nil, fmt.Errorf("patch %s config: %w", role, err)
	}
	if err := patchVerdict(made, patched); err != nil {
		if err := f.advice.advise(cmd.ErrOrStderr(), fmt.Errorf("%s config: %w", role, err)); err != nil {
			return nil, err
		}
	}
	return generate.Encode(patched, generate.Comments{Docs: f.docs, Examples: f.examples})
}

func (f *genConfigFlags) target() string {
	if f.outputDir != "" {
		return f.outputDir
	}
	return f.output
}

// path says where a file goes: into a folder, or to the path itself if it is
// the only file and --output was given.
func (f *genConfigFlags) path(t outputType, all []outputType) string {
	switch {
	case f.target() == "":
		return "./" + t.fileName()
	case len(all) == 1 && f.outputDir == "":
		return f.output
	default:
		return filepath.Join(f.target(), t.fileName())
	}
}

func (g *generated) writeConfig(cmd *cobra.Command, path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := g.write(path, content, publicMode); err != nil {
		return err
	}
	cmd.PrintErrf("Created %s\n", path)
	return nil
}
