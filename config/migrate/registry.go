package migrate

import (
	"maps"
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/registry"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

func mirrorsUp(m *migration) {
	machine := m.machine()
	if machine == nil {
		return
	}

	for _, name := range slices.Sorted(maps.Keys(machine.Registries.Mirrors)) {
		old := machine.Registries.Mirrors[name]

		switch {
		case old == nil:
			m.keep("machine.registries.mirrors."+name, "an empty mirror has no newer form")

			continue
		case has(all[*registry.MirrorConfig](m), name):
			m.keep("machine.registries.mirrors."+name, "there is a RegistryMirrorConfig already")

			continue
		case old.OverridePath != nil && len(old.Endpoints) == 0:
			m.keep("machine.registries.mirrors."+name, "overridePath without endpoints has no newer form")

			continue
		}

		d := &registry.MirrorConfig{DocName: name, SkipFallback: old.SkipFallback}

		for _, text := range old.Endpoints {
			u, err := scalar.ParseURL(text)
			if err != nil || u.String() != text {
				d = nil

				m.keep("machine.registries.mirrors."+name, "not a URL in its usual spelling: %q", text)

				break
			}

			d.Endpoints = append(d.Endpoints, registry.Endpoint{URL: scalar.WrittenURL{URL: u}, OverridePath: old.OverridePath})
		}

		if d != nil {
			delete(machine.Registries.Mirrors, name)
			m.add(d, "machine.registries.mirrors."+name)
		}
	}
}

func mirrorsDown(m *migration) {
	for _, d := range all[*registry.MirrorConfig](m) {
		machine := m.needMachine(d)
		if machine == nil {
			return
		}

		mirror := &v1alpha1.RegistryMirrorConfig{SkipFallback: d.SkipFallback}
		mixed := false

		for i, e := range d.Endpoints {
			mirror.Endpoints = append(mirror.Endpoints, e.URL.String())

			if i > 0 && !sameBool(e.OverridePath, mirror.OverridePath) {
				mixed = true
			}

			mirror.OverridePath = e.OverridePath
		}

		if mixed {
			m.lose("RegistryMirrorConfig/"+d.DocName, "endpoints with and without overridePath have no older form")

			continue
		}

		if machine.Registries.Mirrors[d.DocName] != nil {
			m.lose("RegistryMirrorConfig/"+d.DocName, "machine.registries.mirrors.%s is given too", d.DocName)

			continue
		}

		if machine.Registries.Mirrors == nil {
			machine.Registries.Mirrors = make(map[string]*v1alpha1.RegistryMirrorConfig)
		}

		machine.Registries.Mirrors[d.DocName] = mirror
		m.move(d, "machine.registries.mirrors."+d.DocName)
		m.drop(d)
	}
}

func sameBool(a, b *bool) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func registriesUp(m *migration) {
	machine := m.machine()
	if machine == nil {
		return
	}

	for _, name := range slices.Sorted(maps.Keys(machine.Registries.Config)) {
		old := machine.Registries.Config[name]
		where := "machine.registries.config." + name

		if old == nil || old.Auth == nil && old.TLS == nil {
			m.keep(where, "an empty registry has no newer form")

			continue
		}

		if has(all[*registry.AuthConfig](m), name) || has(all[*registry.TLSConfig](m), name) {
			m.keep(where, "there is a document for this registry already")

			continue
		}

		if a := old.Auth; a != nil {
			old.Auth = nil
			m.add(&registry.AuthConfig{DocName: name, Username: a.Username, Password: a.Password, Auth: a.Auth, IdentityToken: a.IdentityToken}, where+".auth")
		}

		if t := old.TLS; t != nil {
			old.TLS = nil
			d := &registry.TLSConfig{DocName: name, CA: string(t.CA), InsecureSkipVerify: t.InsecureSkipVerify}

			if id := t.ClientIdentity; id != nil {
				d.ClientIdentity = &registry.ClientIdentity{Cert: string(id.Crt), Key: string(id.Key)}
			}

			m.add(d, where+".tls")
		}

		delete(machine.Registries.Config, name)
	}
}

func has[T document.Document](docs []T, name string) bool {
	return slices.ContainsFunc(docs, func(d T) bool { return d.Name() == name })
}

func registriesDown(m *migration) {
	place := func(name string) *v1alpha1.RegistryConfig {
		r := &m.main.Machine.Registries
		if r.Config == nil {
			r.Config = make(map[string]*v1alpha1.RegistryConfig)
		}

		if r.Config[name] == nil {
			r.Config[name] = new(v1alpha1.RegistryConfig)
		}

		return r.Config[name]
	}

	for _, d := range all[*registry.AuthConfig](m) {
		if m.needMachine(d) == nil {
			return
		}

		if place(d.DocName).Auth != nil {
			m.lose("RegistryAuthConfig/"+d.DocName, "machine.registries.config is given too")

			continue
		}

		place(d.DocName).Auth = &v1alpha1.RegistryAuthConfig{Username: d.Username, Password: d.Password, Auth: d.Auth, IdentityToken: d.IdentityToken}
		m.move(d, "machine.registries.config."+d.DocName+".auth")
		m.drop(d)
	}

	for _, d := range all[*registry.TLSConfig](m) {
		if m.needMachine(d) == nil {
			return
		}

		t := &v1alpha1.RegistryTLSConfig{CA: scalar.Base64(d.CA), InsecureSkipVerify: d.InsecureSkipVerify}
		if id := d.ClientIdentity; id != nil {
			t.ClientIdentity = &scalar.CertificateAndKey{Crt: scalar.Base64(id.Cert), Key: scalar.Base64(id.Key)}
		}

		if place(d.DocName).TLS != nil {
			m.lose("RegistryTLSConfig/"+d.DocName, "machine.registries.config is given too")

			continue
		}

		place(d.DocName).TLS = t
		m.move(d, "machine.registries.config."+d.DocName+".tls")
		m.drop(d)
	}
}
