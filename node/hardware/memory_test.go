package hardware

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestParseMemory_FindsFieldsByTheKernelsNames(t *testing.T) {
	got := parseMemory("MemTotal:       24684092 kB\nActive(anon):   7 kB\nHugePages_Total:       3\nNFS_Unstable: 2 kB\nDirectMap4k: 5 kB\nNewThing: 9 kB\nbroken\n")
	want := &machinepb.MemInfo{Memtotal: 24684092, Activeanon: 7, Hugepagestotal: 3, Nfsunstable: 2, Directmap4K: 5}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
}

func TestRPC_AnswersOnThisComputer(t *testing.T) {
	memory, err := RPC{}.Memory(t.Context(), nil)
	if err != nil || memory.GetMessages()[0].GetMeminfo().GetMemtotal() == 0 {
		t.Errorf("memory = %v, %v", memory, err)
	}
	if _, err := (RPC{}).LoadAvg(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
