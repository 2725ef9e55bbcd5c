package kernel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/kernel/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// recheck is how often a parameter is compared with what is wanted: the kernel
// tells nobody when one is changed.
const recheck = time.Minute

// Files reads and writes the files of parameters; Proc is the real one.
type Files interface {
	Read(path string) (string, error)
	Write(path, value string) error
}

// Proc are the files that the kernel shows below /proc and /sys.
type Proc struct{}

// Read gives a file's content without white space around it.
func (Proc) Read(path string) (string, error) {
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), err
}

// Write writes to a file that is there, in one call, as the kernel wants it.
func (Proc) Write(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(value + "\n"))
	return errors.Join(err, f.Close())
}

// Setting brings parameters into the kernel.
type Setting struct {
	Files Files
	// Shared is true on a node whose kernel is not its own. Only what the
	// node's namespaces have for themselves is set then.
	Shared bool

	mu      sync.Mutex
	found   map[string]string // by id: the value before this node changed it
	written map[string]string // by id: what was written to a file that cannot be read
}

// Mirror is the block that sets parameters, notices when somebody else changes
// them, and gives back the value of before when nobody wants one any more.
func (p *Setting) Mirror() resource.Block {
	return resource.Mirror("kernel-params-set", parameters, nil, p.ensure, p.restore)
}

func (p *Setting) ensure(_ context.Context, s *resource.Session, r resource.Resource[ParameterSpec]) error {
	s.WakeAfter(recheck)
	status, err := p.set(r.ID, r.Spec.Value)
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(r.ID, sysctlPrefix+"net.") {
		linkspec.LinkStatuses.List(s) // the file may come with a link
	}
	var options []resource.PutOption
	if err != nil {
		status.Unsupported = unsupported(err)
		options = append(options, resource.Annotations(map[string]string{spec.Reason: err.Error()}))
	}
	spec.KernelParamStatuses.Put(s, r.ID, status, options...)
	return nil
}

// errNotOwn is why a parameter of the shared kernel is left alone.
var errNotOwn = errors.New("it belongs to the kernel of the computer that this node runs on, not to the node: set it there")

// unsupported tells what this kernel or place cannot do from a value that the
// kernel refuses.
func unsupported(err error) bool {
	for _, e := range []error{errNotOwn, fs.ErrNotExist, fs.ErrPermission, unix.EROFS, unix.EOPNOTSUPP} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// set makes a parameter as it is wanted; the status is what there is then.
func (p *Setting) set(id, value string) (spec.KernelParamStatusSpec, error) {
	path := file(id)
	current, readErr := p.Files.Read(path)
	if p.Shared && !namespaced(id) {
		return spec.KernelParamStatusSpec{Current: current, Default: current}, errNotOwn
	}
	if errors.Is(readErr, fs.ErrNotExist) {
		return spec.KernelParamStatusSpec{}, fmt.Errorf("this kernel does not have it: %w", readErr)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if readErr != nil {
		return p.setUnreadable(id, value)
	}
	if p.found == nil {
		p.found = map[string]string{}
	}
	before, known := p.found[id]
	if !known {
		before = current
	}
	if same(current, value) {
		p.found[id] = before
		return spec.KernelParamStatusSpec{Current: current, Default: before}, nil
	}
	err := p.Files.Write(path, value)
	if err != nil {
		return spec.KernelParamStatusSpec{Current: current, Default: before}, fmt.Errorf("the kernel refuses %q: %w", value, err)
	}
	p.found[id] = before
	if now, err := p.Files.Read(path); err == nil {
		current = now
	}
	if !same(current, value) {
		err = fmt.Errorf("the kernel made %q of %q", current, value)
	}
	return spec.KernelParamStatusSpec{Current: current, Default: before}, err
}

// setUnreadable writes once to a file that only takes: net.ipv4.route.flush.
func (p *Setting) setUnreadable(id, value string) (spec.KernelParamStatusSpec, error) {
	if last, ok := p.written[id]; ok && last == value {
		return spec.KernelParamStatusSpec{}, nil
	}
	if err := p.Files.Write(file(id), value); err != nil {
		return spec.KernelParamStatusSpec{}, fmt.Errorf("the kernel refuses %q: %w", value, err)
	}
	if p.written == nil {
		p.written = map[string]string{}
	}
	p.written[id] = value
	return spec.KernelParamStatusSpec{}, nil
}

// same compares what the kernel shows with what is wanted: white space separates
// numbers, a number may have another base, a switch another letter, and of
// choices the kernel shows all, with the one in force in brackets.
func same(shown, want string) bool {
	if chosen(shown) == strings.TrimSpace(want) {
		return true
	}
	a, b := strings.Fields(shown), strings.Fields(want)
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || plainValue(a) == plainValue(b) })
}

// plainValue writes numbers in decimal and switches as numbers.
func plainValue(word string) string {
	switch word {
	case "Y", "y":
		return "1"
	case "N", "n":
		return "0"
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return word
}

// restore gives a parameter the value that it had before the node changed it.
func (p *Setting) restore(_ context.Context, _ *resource.Session, r resource.Resource[ParameterSpec]) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.written, r.ID)
	before, ok := p.found[r.ID]
	if !ok {
		return nil
	}
	if current, err := p.Files.Read(file(r.ID)); err == nil && current != before {
		before = chosen(before)
		if err := p.Files.Write(file(r.ID), before); err != nil && !unsupported(err) {
			return fmt.Errorf("restore kernel parameter: %s: %w", r.ID, err)
		}
	}
	delete(p.found, r.ID)
	return nil
}

// chosen is the choice in force of what the kernel shows, or all of it.
func chosen(shown string) string {
	if _, rest, ok := strings.Cut(shown, "["); ok {
		if choice, _, ok := strings.Cut(rest, "]"); ok {
			return choice
		}
	}
	return shown
}

// ownPrefixes and ownNames are the sysctls that namespaces have for themselves:
// those of the network, of System V and POSIX message queues, shared memory and
// semaphores (namespaces(7), ipc_namespaces(7)), and the names of uts_namespaces(7).
// Those of user namespaces are not among them: a node shares its computer's.
var (
	ownPrefixes = []string{"net.", "fs.mqueue.", "kernel.shm", "kernel.msg"}
	ownNames    = []string{"kernel.sem", "kernel.sem_next_id", "kernel.hostname", "kernel.domainname"}
)

// namespaced says whether a parameter is the node's own where its kernel is not.
func namespaced(id string) bool {
	name, ok := strings.CutPrefix(id, sysctlPrefix)
	if !ok {
		// Of /sys a network namespace shows its own links only.
		return strings.HasPrefix(id, sysfsPrefix+"class.net.")
	}
	for _, own := range ownPrefixes {
		if strings.HasPrefix(name, own) {
			return true
		}
	}
	for _, own := range ownNames {
		if name == own {
			return true
		}
	}
	return false
}
