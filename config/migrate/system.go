package migrate

import (
	"reflect"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/block"
	"github.com/ichor-os/ichor/config/documents/runtime"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

func environmentUp(m *migration) {
	machine := m.machine()
	if machine == nil || len(machine.Env) == 0 {
		return
	}

	if _, ok := find[*runtime.EnvironmentConfig](m); ok {
		m.keep("machine.env", "there is an EnvironmentConfig already")

		return
	}

	d := &runtime.EnvironmentConfig{Variables: machine.Env}
	machine.Env = nil
	m.add(d, "machine.env")
}

func environmentDown(m *migration) {
	d, ok := find[*runtime.EnvironmentConfig](m)
	if !ok {
		return
	}

	machine := m.needMachine(d)

	switch {
	case machine == nil:
	case len(machine.Env) > 0:
		m.lose("EnvironmentConfig", "machine.env is given too")
	default:
		machine.Env = d.Variables
		m.move(d, "machine.env")
		m.drop(d)
	}
}

// volumes are the partitions of the system that the main document can encrypt.
var volumes = []struct {
	name, key string
	of        func(*v1alpha1.SystemDiskEncryptionConfig) **v1alpha1.EncryptionConfig
}{
	{"STATE", "state", func(c *v1alpha1.SystemDiskEncryptionConfig) **v1alpha1.EncryptionConfig { return &c.State }},
	{"EPHEMERAL", "ephemeral", func(c *v1alpha1.SystemDiskEncryptionConfig) **v1alpha1.EncryptionConfig { return &c.Ephemeral }},
}

func volume(m *migration, name string) *block.VolumeConfig {
	for _, d := range all[*block.VolumeConfig](m) {
		if d.DocName == name {
			return d
		}
	}

	return nil
}

func encryptionUp(m *migration) {
	machine := m.machine()
	if machine == nil || machine.SystemDiskEncryption == nil {
		return
	}

	for _, v := range volumes {
		old := v.of(machine.SystemDiskEncryption)
		if *old == nil {
			continue
		}

		where := "machine.systemDiskEncryption." + v.key

		encryption, reason := newEncryption(*old)
		if reason != "" {
			m.keep(where, "%s", reason)

			continue
		}

		d := volume(m, v.name)

		switch {
		case d == nil:
			m.add(&block.VolumeConfig{DocName: v.name, Encryption: encryption}, where)
		case !document.IsZero(reflect.ValueOf(d.Encryption)):
			m.keep(where, "VolumeConfig/%s says how it is encrypted already", v.name)

			continue
		default:
			d.Encryption = encryption
			m.moved = append(m.moved, Move{where, document.Title(d)})
		}

		*old = nil
	}

	if machine.SystemDiskEncryption.State == nil && machine.SystemDiskEncryption.Ephemeral == nil {
		machine.SystemDiskEncryption = nil
	}
}

func newEncryption(old *v1alpha1.EncryptionConfig) (block.Encryption, string) {
	e := block.Encryption{Cipher: old.Cipher, KeySize: old.KeySize, BlockSize: old.BlockSize, Options: old.Options}

	if old.Provider != string(block.EncryptionProviderLUKS2) {
		return e, "the provider is not luks2"
	}

	e.Provider = block.EncryptionProviderLUKS2

	for _, k := range old.Keys {
		if k == nil {
			return e, "a key is empty"
		}

		key := block.EncryptionKey{Slot: k.Slot}

		if k.Static != nil {
			key.Static = &block.StaticKey{Passphrase: block.Passphrase(k.Static.Passphrase)}
		}

		if k.NodeID != nil {
			key.NodeID = new(block.NodeIDKey)
		}

		if k.KMS != nil {
			key.KMS = &block.KMSKey{Endpoint: k.KMS.Endpoint}
		}

		if k.TPM != nil {
			key.TPM = &block.TPMKey{CheckSecurebootStatusOnEnroll: k.TPM.CheckSecurebootStatusOnEnroll}
		}

		e.Keys = append(e.Keys, key)
	}

	return e, ""
}

func encryptionDown(m *migration) {
	for _, v := range volumes {
		d := volume(m, v.name)
		if d == nil || document.IsZero(reflect.ValueOf(d.Encryption)) {
			continue
		}

		machine := m.needMachine(d)
		if machine == nil {
			return
		}

		old, reason := oldEncryption(d.Encryption)
		if reason != "" {
			m.lose(document.Title(d), "%s", reason)

			continue
		}

		if machine.SystemDiskEncryption == nil {
			machine.SystemDiskEncryption = new(v1alpha1.SystemDiskEncryptionConfig)
		}

		if *v.of(machine.SystemDiskEncryption) != nil {
			m.lose(document.Title(d), "machine.systemDiskEncryption.%s says it too", v.key)

			continue
		}

		*v.of(machine.SystemDiskEncryption) = old
		d.Encryption = block.Encryption{}
		m.move(d, "machine.systemDiskEncryption."+v.key)

		if rest := *d; document.IsZero(reflect.ValueOf(rest.Provisioning)) && document.IsZero(reflect.ValueOf(rest.Mount)) {
			m.drop(d)
		}
	}
}

func oldEncryption(e block.Encryption) (*v1alpha1.EncryptionConfig, string) {
	old := &v1alpha1.EncryptionConfig{
		Provider: e.Provider.String(), Cipher: e.Cipher, KeySize: e.KeySize, BlockSize: e.BlockSize, Options: e.Options,
	}

	for _, k := range e.Keys {
		key := &v1alpha1.EncryptionKey{Slot: k.Slot}

		if k.LockToState != nil {
			return nil, "lockToState has no older form"
		}

		if k.Static != nil {
			key.Static = &v1alpha1.EncryptionKeyStatic{Passphrase: string(k.Static.Passphrase)}
		}

		if k.NodeID != nil {
			key.NodeID = new(v1alpha1.EncryptionKeyNodeID)
		}

		if k.KMS != nil {
			key.KMS = &v1alpha1.EncryptionKeyKMS{Endpoint: k.KMS.Endpoint}
		}

		if k.TPM != nil {
			if k.TPM.Options != nil {
				return nil, "options of a TPM key have no older form"
			}

			key.TPM = &v1alpha1.EncryptionKeyTPM{CheckSecurebootStatusOnEnroll: k.TPM.CheckSecurebootStatusOnEnroll}
		}

		old.Keys = append(old.Keys, key)
	}

	return old, ""
}

func sysctlsUp(m *migration) {
	machine := m.machine()
	if machine == nil || len(machine.Sysctls) == 0 {
		return
	}

	if _, ok := find[*runtime.SysctlConfig](m); ok {
		m.keep("machine.sysctls", "there is a SysctlConfig already")

		return
	}

	d := &runtime.SysctlConfig{Params: machine.Sysctls}
	machine.Sysctls = nil
	m.add(d, "machine.sysctls")
}

func sysctlsDown(m *migration) {
	d, ok := find[*runtime.SysctlConfig](m)
	if !ok {
		return
	}

	if machine := m.needMachine(d); machine != nil && len(machine.Sysctls) == 0 {
		machine.Sysctls = d.Params
		m.move(d, "machine.sysctls")
		m.drop(d)
	}
}

func sysfsUp(m *migration) {
	machine := m.machine()
	if machine == nil || len(machine.Sysfs) == 0 {
		return
	}

	if _, ok := find[*runtime.SysfsConfig](m); ok {
		m.keep("machine.sysfs", "there is a SysfsConfig already")

		return
	}

	d := &runtime.SysfsConfig{Params: machine.Sysfs}
	machine.Sysfs = nil
	m.add(d, "machine.sysfs")
}

func sysfsDown(m *migration) {
	d, ok := find[*runtime.SysfsConfig](m)
	if !ok {
		return
	}

	if machine := m.needMachine(d); machine != nil && len(machine.Sysfs) == 0 {
		machine.Sysfs = d.Params
		m.move(d, "machine.sysfs")
		m.drop(d)
	}
}

func udevUp(m *migration) {
	machine := m.machine()
	if machine == nil || machine.Udev == nil {
		return
	}

	if _, ok := find[*runtime.UdevRulesConfig](m); ok {
		m.keep("machine.udev", "there is a UdevRulesConfig already")

		return
	}

	d := &runtime.UdevRulesConfig{Rules: machine.Udev.Rules}
	machine.Udev = nil
	m.add(d, "machine.udev.rules")
}

func udevDown(m *migration) {
	d, ok := find[*runtime.UdevRulesConfig](m)
	if !ok {
		return
	}

	if machine := m.needMachine(d); machine != nil && machine.Udev == nil {
		machine.Udev = &v1alpha1.UdevConfig{Rules: d.Rules}
		m.move(d, "machine.udev.rules")
		m.drop(d)
	}
}

func modulesUp(m *migration) {
	machine := m.machine()
	if machine == nil || machine.Kernel == nil {
		return
	}

	var kept []*v1alpha1.KernelModuleConfig

	taken := make(map[string]bool)
	for _, d := range all[*runtime.KernelModuleConfig](m) {
		taken[d.DocName] = true
	}

	for _, k := range machine.Kernel.Modules {
		if k == nil || k.Name == "" || taken[k.Name] {
			kept = append(kept, k)

			m.keep("machine.kernel.modules", "a module without name, or given twice, has no newer form")

			continue
		}

		taken[k.Name] = true

		m.add(&runtime.KernelModuleConfig{DocName: k.Name, Parameters: k.Parameters}, "machine.kernel.modules")
	}

	machine.Kernel.Modules = kept
	if len(kept) == 0 {
		machine.Kernel = nil
	}
}

func modulesDown(m *migration) {
	for _, d := range all[*runtime.KernelModuleConfig](m) {
		machine := m.needMachine(d)
		if machine == nil {
			return
		}

		if machine.Kernel == nil {
			machine.Kernel = new(v1alpha1.KernelConfig)
		}

		machine.Kernel.Modules = append(machine.Kernel.Modules, &v1alpha1.KernelModuleConfig{Name: d.DocName, Parameters: d.Parameters})
		m.move(d, "machine.kernel.modules")
		m.drop(d)
	}
}
