package cel

import (
	"net"
	"path"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
)

// Environments.
var (
	// Disk is where disks are chosen: variables disk (Disk) and system_disk
	// (bool: the disk that the system is installed on), and size units.
	Disk = environment("disk selector", cel.BoolType, func() []cel.EnvOption {
		return append(units(),
			ext.NativeTypes(reflect.TypeFor[DiskFields](), ext.ParseStructTags(true)),
			cel.Variable("disk", cel.ObjectType("cel.DiskFields")),
			cel.Variable("system_disk", cel.BoolType))
	})

	// Volume is where volumes that exist are chosen: variables volume
	// (VolumeFields) and disk (DiskFields), and size units.
	Volume = environment("volume selector", cel.BoolType, func() []cel.EnvOption {
		return append(units(),
			ext.NativeTypes(reflect.TypeFor[DiskFields](), reflect.TypeFor[VolumeFields](), ext.ParseStructTags(true)),
			cel.Variable("disk", cel.ObjectType("cel.DiskFields")),
			cel.Variable("volume", cel.ObjectType("cel.VolumeFields")))
	})

	// Link is where links are chosen: variable link (LinkFields), the function
	// mac, which writes a hardware address as lower-case text, and the function
	// glob(pattern, text), in which * stands for any text.
	Link = environment("link selector", cel.BoolType, func() []cel.EnvOption {
		return []cel.EnvOption{
			ext.NativeTypes(reflect.TypeFor[LinkFields](), ext.ParseStructTags(true)),
			cel.Variable("link", cel.ObjectType("cel.LinkFields")),
			cel.Function("mac", cel.Overload("mac_bytes", []*cel.Type{cel.BytesType}, cel.StringType, cel.UnaryBinding(macText))),
			cel.Function("glob", cel.Overload("glob_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType,
				cel.BinaryBinding(globMatch))),
		}
	})

	// OOMTrigger is where it is decided whether memory is short: pressure of
	// the whole machine, its change since the last sample (d_…), and the time
	// since the handler last acted.
	OOMTrigger = environment("OOM trigger", cel.BoolType, func() []cel.EnvOption {
		return append(pressure(),
			cel.Variable("time_since_trigger", cel.DurationType))
	})

	// OOMRanking is where cgroups are ranked for being ended first.
	OOMRanking = environment("OOM ranking", cel.DoubleType, func() []cel.EnvOption {
		return append(pressure(),
			cel.Variable("class", cel.IntType),
			cel.Variable("path", cel.StringType),
			cel.Variable("memory_current", cel.OptionalType(cel.UintType)),
			cel.Variable("memory_peak", cel.OptionalType(cel.UintType)),
			cel.Variable("memory_max", cel.OptionalType(cel.UintType)))
	})
)

// Classes of cgroups, by how soon the out-of-memory handler may end them.
const (
	ClassBestEffort = iota
	ClassBurstable
	ClassGuaranteed
	ClassPodRuntime
	ClassSystem
)

var classes = map[string]int64{
	"Besteffort": ClassBestEffort,
	"Burstable":  ClassBurstable,
	"Guaranteed": ClassGuaranteed,
	"Podruntime": ClassPodRuntime,
	"System":     ClassSystem,
}

// pressure declares the pressure stall figures of the kernel, named
// RESOURCE_KIND_WINDOW, such as memory_full_avg10, and their change per second
// with the prefix d_; those of single service classes are maps by class with
// the prefix qos_.
func pressure() []cel.EnvOption {
	options := []cel.EnvOption{cel.OptionalTypes()}

	for name, class := range classes {
		options = append(options, cel.Constant(name, cel.IntType, types.Int(class)))
	}

	perClass := cel.MapType(cel.IntType, cel.DoubleType)

	for _, resource := range []string{"cpu", "io", "memory"} {
		for _, kind := range []string{"some", "full"} {
			for _, window := range []string{"avg10", "avg60", "avg300", "total"} {
				name := resource + "_" + kind + "_" + window
				options = append(options,
					cel.Variable(name, cel.DoubleType), cel.Variable("d_"+name, cel.DoubleType),
					cel.Variable("qos_"+name, perClass), cel.Variable("d_qos_"+name, perClass))
			}
		}
	}

	return options
}

// units declares size units as unsigned numbers: 100u * GiB.
func units() []cel.EnvOption {
	var options []cel.EnvOption

	decimal, binary := types.Uint(1), types.Uint(1)

	for _, prefix := range []string{"k", "M", "G", "T", "P"} {
		decimal *= 1000
		binary *= 1024

		binaryName := prefix + "iB"
		if prefix == "k" {
			binaryName = "KiB"
		}

		options = append(options,
			cel.Constant(prefix+"B", cel.UintType, decimal),
			cel.Constant(binaryName, cel.UintType, binary))
	}

	return options
}

func macText(value ref.Val) ref.Val {
	address, ok := value.(types.Bytes)
	if !ok {
		return types.MaybeNoSuchOverloadErr(value)
	}

	return types.String(net.HardwareAddr(address).String())
}

// globMatch tells whether text matches a pattern; a pattern that cannot be
// read is an error.
func globMatch(pattern, text ref.Val) ref.Val {
	p, ok := pattern.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(pattern)
	}

	t, ok := text.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}

	matched, err := path.Match(string(p), string(t))
	if err != nil {
		return types.NewErr("glob: pattern %q: %s", string(p), err)
	}

	return types.Bool(matched)
}
