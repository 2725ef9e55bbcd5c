package apid

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
)

var allRoles = []string{
	"os:admin", "os:operator", "os:reader", "os:etcd:backup", "os:image:verifier", "os:meta:writer", "os:impersonator",
}

// notListed are methods that the reference does not mention, so only an
// administrator may call them; the last one exists nowhere.
var notListed = []string{
	"/machine.MachineService/NoSuchMethod",
	"/ichor.v1.NoSuchService/Method",
}

// Methods of services that nodes serve elsewhere than behind apid.
var servedElsewhere = map[string]bool{
	"securityapi.SecurityService": true,
	"signerapi.SignerService":     true,
}

// maintenanceMethods are what anybody may call on a node without a
// configuration besides reading: written down from the description of first
// contact, not from the table that the product has.
var maintenanceMethods = []string{
	"/machine.MachineService/ApplyConfiguration",
	"/machine.MachineService/MetaWrite",
	"/machine.MachineService/MetaDelete",
	"/machine.MachineService/Upgrade",
	"/machine.MachineService/Reboot",
	"/machine.MachineService/Shutdown",
	"/machine.MachineService/Reset",
	"/machine.LifecycleService/Install",
	"/machine.LifecycleService/Upgrade",
	"/storage.StorageService/BlockDeviceWipe",
	"/machine.LVMService/LogicalVolumeRemove",
	"/machine.LVMService/VolumeGroupRemove",
	"/machine.LVMService/PhysicalVolumeRemove",
	"/machine.MDService/Destroy",
}

// expectations returns the roles that may call each method, from the reference.
func expectations(t *testing.T) map[string][]string {
	t.Helper()

	file, err := os.Open("../../api/testdata/reference/rbac.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	out := map[string][]string{}
	lines := bufio.NewScanner(file)

	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(columns[0], "/") {
			out[columns[0]] = strings.Fields(columns[1])
		}
	}

	if len(out) < 80 {
		t.Fatalf("only %d methods in the reference", len(out))
	}

	// Methods of the contract that the reference does not list.
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			if servedElsewhere[string(service.FullName())] {
				continue
			}

			for j := range service.Methods().Len() {
				method := fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(j).Name())
				if _, ok := out[method]; !ok {
					out[method] = []string{"os:admin"}
				}
			}
		}

		return true
	})

	// Methods of our own, and those that nobody may call over the network.
	for method, roles := range map[string][]string{
		"/ichor.v1.Audit/Records":      {"os:admin", "os:operator"},
		"/ichor.v1.Audit/Verify":       {"os:admin", "os:operator"},
		"/ichor.v1.AuditIntake/Record": {},
	} {
		out[method] = roles
	}

	for _, method := range notListed {
		out[method] = []string{"os:admin"}
	}

	return out
}

// Each method of the contract is called over TLS with each role and with none:
// it reaches machined, with that role beside it, or it is refused and does not.
func TestRoles_EveryMethodWithEveryRole(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	want := expectations(t)

	for _, role := range append([]string{""}, allRoles...) {
		var roles []string
		if role != "" {
			roles = []string{role}
		}

		conn := node.client(roles...)

		for method, allowed := range want {
			err := rawCall(t, conn, method)
			checkReached(t, node, method, role, err, slices.Contains(allowed, role), roles)
		}
	}
}

// The same holds when the call takes a step: the node that passes it on and the
// one that answers it come to the same decision.
func TestRoles_EveryMethodThroughAnotherNode(t *testing.T) {
	f := newFixture(t)
	first := f.start("127.0.0.1", settings.ControlPlane)
	second := f.start("127.0.0.2", settings.Worker)
	want := expectations(t)

	for _, role := range append([]string{""}, allRoles...) {
		var roles []string
		if role != "" {
			roles = []string{role}
		}

		conn := first.client(roles...)

		for method, allowed := range want {
			err := rawCall(t, conn, method, "node", "127.0.0.2")
			checkReached(t, second, method, role, err, slices.Contains(allowed, role), roles)
		}
	}

	if calls := first.machined.taken(); len(calls) != 0 {
		t.Errorf("the node in between answered: %v", calls[0])
	}
}

func TestRoles_EveryMethodInMaintenance(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.Maintenance)
	conn := node.clientWith(nil)

	for method, allowed := range expectations(t) {
		reader := slices.Contains(allowed, "os:reader")
		err := rawCall(t, conn, method)
		checkReached(t, node, method, "(maintenance)", err,
			reader || slices.Contains(maintenanceMethods, method), []string{"os:reader"})
	}
}

func checkReached(t *testing.T, node *testNode, method, role string, err error, want bool, roles []string) {
	t.Helper()

	reached := node.machined.taken()

	if !want {
		if len(reached) != 0 || status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s as %q: got error %v, reached machined %v; want PermissionDenied", method, role, err, reached)
		}

		return
	}

	if err != nil || len(reached) != 1 || reached[0].method != method {
		t.Errorf("%s as %q: got error %v, reached machined %v; want the call once", method, role, err, reached)
		return
	}

	if got := reached[0].md.Get(access.MetadataKey); !slices.Equal(got, roles) {
		t.Errorf("%s as %q: machined was told roles %q", method, role, got)
	}
}

func TestRoles_SeveralRolesAddUp(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	conn := node.client("os:etcd:backup", "os:meta:writer", "an ordinary organization")

	for method, want := range map[string]codes.Code{
		"/machine.MachineService/EtcdSnapshot": codes.OK,
		"/machine.MachineService/MetaWrite":    codes.OK,
		"/machine.MachineService/Version":      codes.PermissionDenied,
	} {
		if err := rawCall(t, conn, method); status.Code(err) != want {
			t.Errorf("%s: got %v, want %s", method, err, want)
		}
	}
}

// What a client says of its roles counts only if it is a node.
func TestRoles_ForgedMetadataCountsForNothing(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	for _, forged := range [][]string{
		{access.MetadataKey, "os:admin"},
		{access.MetadataKey, "os:admin", "proxyfrom", "10.5.0.2"},
		{"Talos-Role", "os:admin"},
	} {
		err := rawCall(t, node.client("os:reader"), "/machine.MachineService/Reset", forged...)
		checkReached(t, node, "/machine.MachineService/Reset", "os:reader", err, false, nil)

		if err := rawCall(t, node.client("os:reader"), version, forged...); err != nil {
			t.Errorf("%q: %v", forged, err)
		}

		for _, call := range node.machined.taken() {
			if !slices.Equal(call.md.Get(access.MetadataKey), []string{"os:reader"}) || len(call.md.Get(keyProxyFrom)) != 0 {
				t.Errorf("%q: machined was told %v", forged, call)
			}
		}
	}
}

// Machined takes a call from the network for a sign that the node is in reach,
// so nobody but apid says where one came from.
func TestSource_IsThatOfTheConnection(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	if err := rawCall(t, node.client("os:admin"), version, access.SourceKey, "192.0.2.7"); err != nil {
		t.Fatal(err)
	}

	for _, call := range node.machined.taken() {
		if got := call.md.Get(access.SourceKey); !slices.Equal(got, []string{"127.0.0.1"}) {
			t.Errorf("source: got %q, want that of the connection", got)
		}
	}
}

func TestRoles_NodeSpeaksForOthers(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	conn := node.client("os:impersonator")

	err := rawCall(t, conn, "/machine.MachineService/Version", access.MetadataKey, "os:reader", "proxyfrom", "127.0.0.9")
	checkReached(t, node, "/machine.MachineService/Version", "os:reader", err, true, []string{"os:reader"})

	err = rawCall(t, conn, "/machine.MachineService/Reset", access.MetadataKey, "os:reader", "proxyfrom", "127.0.0.9")
	checkReached(t, node, "/machine.MachineService/Reset", "os:reader", err, false, nil)

	// Its certificate alone allows nothing.
	err = rawCall(t, conn, "/machine.MachineService/Version", "proxyfrom", "127.0.0.9")
	checkReached(t, node, "/machine.MachineService/Version", "", err, false, nil)
}

func TestRoles_MetadataOfOthersPassesThrough(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	if err := rawCall(t, node.client("os:reader"), "/machine.MachineService/Version", "x-trace", "one", "x-trace", "two"); err != nil {
		t.Fatal(err)
	}

	calls := node.machined.taken()
	if got := calls[0].md.Get("x-trace"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("machined got %q", got)
	}
}

func TestServe_HeadersTrailersAndDetailsComeBack(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	node.machined.set(func(_ string, stream grpc.ServerStream) error {
		stream.SetTrailer(map[string][]string{"x-end": {"z"}})
		return status.Error(codes.FailedPrecondition, "needs a disk")
	})

	err := rawCall(t, node.client("os:admin"), "/machine.MachineService/Upgrade")
	if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != "needs a disk" {
		t.Errorf("got %v", err)
	}
}
