package service

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/runtime"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	lifecyclespec "github.com/ichor-os/ichor/node/lifecycle/spec"
	"github.com/ichor-os/ichor/resource"
)

// environmentID is the id of the one Environment.
const environmentID = "machined"

// ReconcileEnvironment puts the environment variables that the config wants for
// services, as NAME=value by name.
func ReconcileEnvironment(_ context.Context, s *resource.Session) error {
	config, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	shown := variables(config)
	for i := range shown {
		shown[i] = redact(shown[i])
	}
	lifecyclespec.Environments.Put(s, environmentID, lifecyclespec.EnvironmentSpec{Variables: shown})
	return nil
}

// redact takes the password out of the address of a proxy: everybody may read
// the resource who may read anything.
func redact(variable string) string {
	name, value, _ := strings.Cut(variable, "=")
	address, err := url.Parse(value)
	if err != nil || address.User == nil {
		return variable
	}
	return name + "=" + address.Redacted()
}

// variables are those of the main document and of EnvironmentConfig, which
// counts where both name the same. Names of proxies are known in both cases to
// programs; each is given in both.
func variables(config *machineconfig.Config) []string {
	all := map[string]string{}
	if main := config.Main(); main != nil && main.Machine != nil {
		maps.Copy(all, main.Machine.Env)
	}
	for _, d := range config.Documents() {
		if e, ok := d.(*runtime.EnvironmentConfig); ok {
			maps.Copy(all, e.Variables)
		}
	}
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy"} {
		upper := strings.ToUpper(name)
		value, ok := all[name]
		if other, there := all[upper]; !ok && there {
			all[name] = other
		} else if ok && !there {
			all[upper] = value
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, name+"="+all[name])
	}
	return list
}

// Environment is what services start with beside what they need. The zero value
// is empty.
type Environment struct {
	mu        sync.Mutex
	variables []string
	// started has what services were started with.
	started map[string][]string
}

// Mirror is the block that has services started from now on get what the config
// says. Those that run keep what they have.
func (e *Environment) Mirror() resource.Block {
	set := func(variables []string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.variables = variables
	}
	return resource.Mirror("environment", lifecyclespec.Environments, nil,
		func(_ context.Context, s *resource.Session, _ resource.Resource[lifecyclespec.EnvironmentSpec]) error {
			config, ok, err := configspec.Config(s) // the resource lacks passwords
			if ok {
				set(variables(config))
			}
			return err
		},
		func(context.Context, *resource.Session, resource.Resource[lifecyclespec.EnvironmentSpec]) error {
			set(nil)
			return nil
		})
}

// For gives the variables for a service that starts now.
func (e *Environment) For(id string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started == nil {
		e.started = map[string][]string{}
	}
	e.started[id] = e.variables
	return slices.Clone(e.variables)
}

// Outdated says whether a service runs with other variables than it would get
// now.
func (e *Environment) Outdated(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	variables, ok := e.started[id]
	return ok && !slices.Equal(variables, e.variables)
}
