package applet

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A request is what mount's arguments ask for.
type request struct {
	source, target, kind string
	flags                uintptr
	propagation          uintptr
	data                 string
}

// setFlags and clearFlags are the options of mount(8) that stand for bits of
// mount(2).
var (
	setFlags = map[string]uintptr{
		"ro": unix.MS_RDONLY, "nosuid": unix.MS_NOSUID, "nodev": unix.MS_NODEV, "noexec": unix.MS_NOEXEC,
		"sync": unix.MS_SYNCHRONOUS, "dirsync": unix.MS_DIRSYNC, "remount": unix.MS_REMOUNT, "mand": unix.MS_MANDLOCK,
		"noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME,
		"strictatime": unix.MS_STRICTATIME, "lazytime": unix.MS_LAZYTIME, "silent": unix.MS_SILENT,
		"nosymfollow": unix.MS_NOSYMFOLLOW, "bind": unix.MS_BIND, "rbind": unix.MS_BIND | unix.MS_REC,
	}
	clearFlags = map[string]uintptr{
		"rw": unix.MS_RDONLY, "suid": unix.MS_NOSUID, "dev": unix.MS_NODEV, "exec": unix.MS_NOEXEC,
		"async": unix.MS_SYNCHRONOUS, "nomand": unix.MS_MANDLOCK, "atime": unix.MS_NOATIME,
		"diratime": unix.MS_NODIRATIME, "norelatime": unix.MS_RELATIME, "nostrictatime": unix.MS_STRICTATIME,
		"nolazytime": unix.MS_LAZYTIME, "loud": unix.MS_SILENT, "symfollow": unix.MS_NOSYMFOLLOW,
		"defaults": unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_SYNCHRONOUS,
	}
	propagations = map[string]uintptr{
		"private": unix.MS_PRIVATE, "rprivate": unix.MS_PRIVATE | unix.MS_REC,
		"shared": unix.MS_SHARED, "rshared": unix.MS_SHARED | unix.MS_REC,
		"slave": unix.MS_SLAVE, "rslave": unix.MS_SLAVE | unix.MS_REC,
		"unbindable": unix.MS_UNBINDABLE, "runbindable": unix.MS_UNBINDABLE | unix.MS_REC,
	}
	// ignored options speak to fstab's readers, not to the kernel.
	ignored = []string{"auto", "noauto", "user", "nouser", "users", "owner", "group", "_netdev", "nofail"}
	// helped types are mounted by a program of their own, which is not here.
	helped = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse"}
)

func mount(args []string, stdout io.Writer) error {
	if slices.Contains(args, "--version") || slices.Contains(args, "-V") {
		_, err := fmt.Fprintln(stdout, "mount of Ichor's image tools")
		return err
	}
	r, err := parseMount(args)
	if err != nil {
		return err
	}
	return r.perform()
}

// parseMount reads the arguments in the forms that kubelet uses:
// [-t TYPE] [-o OPTION,…] [--no-canonicalize] [-s] SOURCE TARGET.
func parseMount(args []string) (request, error) {
	var r request
	var options, plain []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		value := func() (string, error) {
			if i++; i >= len(args) {
				return "", fmt.Errorf("%s needs a value", arg)
			}
			return args[i], nil
		}
		switch {
		case arg == "-t" || arg == "-o":
			v, err := value()
			if err != nil {
				return request{}, err
			}
			if arg == "-t" {
				r.kind = v
			} else {
				options = append(options, strings.Split(v, ",")...)
			}
		case arg == "-s" || arg == "-n" || arg == "--no-canonicalize":
		case arg == "--bind" || arg == "--rbind":
			options = append(options, arg[2:])
		case strings.HasPrefix(arg, "--make-"):
			options = append(options, strings.TrimPrefix(arg, "--make-"))
		case strings.HasPrefix(arg, "-"):
			return request{}, fmt.Errorf("option %s is not supported", arg)
		default:
			plain = append(plain, arg)
		}
	}
	r.apply(options)
	return r.place(plain)
}

func (r *request) apply(options []string) {
	var data []string
	for _, option := range options {
		switch {
		case option == "" || slices.Contains(ignored, option) || strings.HasPrefix(option, "x-") || strings.HasPrefix(option, "comment="):
		case setFlags[option] != 0:
			r.flags |= setFlags[option]
		case clearFlags[option] != 0:
			r.flags &^= clearFlags[option]
		case propagations[option] != 0:
			r.propagation = propagations[option]
		default:
			data = append(data, option)
		}
	}
	r.data = strings.Join(data, ",")
}

func (r request) place(plain []string) (request, error) {
	switch {
	case len(plain) == 2:
		r.source, r.target = plain[0], plain[1]
	case len(plain) == 1 && (r.propagation != 0 || r.flags&unix.MS_REMOUNT != 0):
		r.target = plain[0]
	default:
		return request{}, fmt.Errorf("got %d paths, want a source and a target", len(plain))
	}
	if slices.Contains(helped, r.kind) || strings.HasPrefix(r.kind, "fuse.") {
		return request{}, fmt.Errorf("%s: type %s needs a mount program of its own, which this image does not hold; use a CSI driver", r.target, r.kind)
	}
	if r.kind == "" && r.source != "" && r.flags&(unix.MS_BIND|unix.MS_REMOUNT) == 0 && r.propagation == 0 {
		return request{}, fmt.Errorf("%s: the type is not guessed, name it with -t", r.target)
	}
	return r, nil
}

// perform makes the system calls. A bind mount ignores all other flags, so they
// are set by a second call, as is propagation.
func (r request) perform() error {
	const bindIgnores = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME | unix.MS_STRICTATIME | unix.MS_NOSYMFOLLOW
	call := func(flags uintptr, kind, data string) error {
		if err := unix.Mount(r.source, r.target, kind, flags, data); err != nil {
			return fmt.Errorf("%s: %w", r.target, err)
		}
		return nil
	}
	binds := r.flags&unix.MS_BIND != 0 && r.flags&unix.MS_REMOUNT == 0
	switch {
	case binds:
		if err := call(r.flags&(unix.MS_BIND|unix.MS_REC), "", ""); err != nil {
			return err
		}
		if extra := r.flags & bindIgnores; extra != 0 {
			if err := call(unix.MS_BIND|unix.MS_REMOUNT|extra, "", ""); err != nil {
				return errors.Join(err, unix.Unmount(r.target, unix.MNT_DETACH))
			}
		}
	case r.source != "" || r.flags != 0:
		if err := call(r.flags, r.kind, r.data); err != nil {
			return err
		}
	}
	if r.propagation == 0 {
		return nil
	}
	return call(r.propagation, "", "")
}

// umount takes [-f] [-l] [-n] TARGET….
func umount(args []string, stdout io.Writer) error {
	flags, targets := 0, []string(nil)
	for _, arg := range args {
		switch arg {
		case "--version", "-V":
			_, err := fmt.Fprintln(stdout, "umount of Ichor's image tools")
			return err
		case "-f", "--force":
			flags |= unix.MNT_FORCE
		case "-l", "--lazy":
			flags |= unix.MNT_DETACH
		case "-n", "--no-canonicalize", "-c":
		default:
			if strings.HasPrefix(arg, "-") {
				return fmt.Errorf("option %s is not supported", arg)
			}
			targets = append(targets, arg)
		}
	}
	if len(targets) == 0 {
		return errors.New("no target")
	}
	var failed error
	for _, target := range targets {
		failed = errors.Join(failed, unmountOne(target, flags))
	}
	return failed
}

func unmountOne(target string, flags int) error {
	err := unix.Unmount(filepath.Clean(target), flags)
	if errors.Is(err, unix.EINVAL) {
		// kubelet looks for these words to tell "nothing to do" from a failure.
		return fmt.Errorf("%s: not mounted", target)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return nil
}
