package stat

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

var kernel = RPC{Proc: "/proc", Sys: "/sys"}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// number finds the number that follows a word at the beginning of a line.
func number(t *testing.T, text, word string) uint64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(word) + `:?\s+(\d+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %q in:\n%.300s", word, text)
	}
	n, err := strconv.ParseUint(found[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMemory_AgreesWithTheKernel(t *testing.T) {
	answer, err := kernel.Memory(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	info, text := answer.GetMessages()[0].GetMeminfo(), read(t, "/proc/meminfo")
	// Totals do not change while the test runs.
	for word, got := range map[string]uint64{
		"MemTotal": info.GetMemtotal(), "SwapTotal": info.GetSwaptotal(), "VmallocTotal": info.GetVmalloctotal(), "Hugepagesize": info.GetHugepagesize(),
	} {
		if want := number(t, text, word); got != want {
			t.Errorf("%s = %d, want %d", word, got, want)
		}
	}
	if free := info.GetMemfree(); free == 0 || free > info.GetMemtotal() {
		t.Errorf("free = %d of %d", free, info.GetMemtotal())
	}
}

func TestMemory_FindsEveryName(t *testing.T) {
	folder := t.TempDir()
	names := []string{
		"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached", "Active", "Inactive", "Active(anon)", "Inactive(anon)",
		"Active(file)", "Inactive(file)", "Unevictable", "Mlocked", "SwapTotal", "SwapFree", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem",
		"Slab", "SReclaimable", "SUnreclaim", "KernelStack", "PageTables", "NFS_Unstable", "Bounce", "WritebackTmp", "CommitLimit", "Committed_AS",
		"VmallocTotal", "VmallocUsed", "VmallocChunk", "HardwareCorrupted", "AnonHugePages", "ShmemHugePages", "ShmemPmdMapped", "CmaTotal",
		"CmaFree", "HugePages_Total", "HugePages_Free", "HugePages_Rsvd", "HugePages_Surp", "Hugepagesize", "DirectMap4k", "DirectMap2M", "DirectMap1G",
	}
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "%s:   %d kB\n", name, i+1)
	}
	text.WriteString("SomethingNew: 5 kB\n")
	if err := os.WriteFile(filepath.Join(folder, "meminfo"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, err := RPC{Proc: folder}.Memory(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	message := answer.GetMessages()[0].GetMeminfo().ProtoReflect()
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		if got := message.Get(fields.Get(i)).Uint(); got != uint64(i+1) {
			t.Errorf("%s = %d, want %d", fields.Get(i).Name(), got, i+1)
		}
	}
}

func TestMemory_RefusesWhatIsNoNumber(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "meminfo"), []byte("MemTotal: much kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (RPC{Proc: folder}).Memory(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "much") {
		t.Errorf("error = %v, want one that shows the line", err)
	}
}

func TestSystemStat_AgreesWithTheKernel(t *testing.T) {
	before := number(t, read(t, "/proc/stat"), "ctxt")
	answer, err := kernel.SystemStat(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, text := answer.GetMessages()[0], read(t, "/proc/stat")
	if want := number(t, text, "btime"); got.GetBootTime() != want {
		t.Errorf("boot time = %d, want %d", got.GetBootTime(), want)
	}
	if n := got.GetContextSwitches(); n < before || n > number(t, text, "ctxt") {
		t.Errorf("context switches = %d, want between %d and those after", n, before)
	}
	if n, want := len(got.GetCpu()), len(regexp.MustCompile(`(?m)^cpu\d`).FindAllString(text, -1)); n != want {
		t.Errorf("processors = %d, want %d", n, want)
	}
}

func TestCPUInfo_ListsTheKernelsProcessors(t *testing.T) {
	answer, err := kernel.CPUInfo(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0].GetCpuInfo()
	if want := strings.Count(read(t, "/proc/cpuinfo"), "processor\t"); len(got) != want {
		t.Errorf("processors = %d, want %d", len(got), want)
	}
}

func TestLoadAvg_AgreesWithTheKernel(t *testing.T) {
	answer, err := kernel.LoadAvg(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var one, five, fifteen float64
	if _, err := fmt.Sscan(read(t, "/proc/loadavg"), &one, &five, &fifteen); err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0]
	// The kernel may count anew between the two looks.
	for _, pair := range [][2]float64{{got.GetLoad1(), one}, {got.GetLoad5(), five}, {got.GetLoad15(), fifteen}} {
		if d := pair[0] - pair[1]; d > 2 || d < -2 {
			t.Errorf("load = %v, want about %v", pair[0], pair[1])
		}
	}
}

func TestCPUFreqStats_AreEmptyWithoutScaling(t *testing.T) {
	sys := t.TempDir()
	if err := os.MkdirAll(filepath.Join(sys, "devices/system/cpu/cpu0/cpufreq"), 0o700); err != nil {
		t.Fatal(err)
	}
	answer, err := RPC{Sys: sys}.CPUFreqStats(t.Context(), nil)
	if err != nil || len(answer.GetMessages()) != 1 || len(answer.GetMessages()[0].GetCpuFreqStats()) != 0 {
		t.Errorf("got %v, %v; want one message without processors", answer, err)
	}
}

func TestDiskStats_TotalCountsEachDiskOnce(t *testing.T) {
	proc, sys := t.TempDir(), t.TempDir()
	text := "   8       0 sda 10 1 100 5 20 2 200 6 0 7 8 3 0 30 4\n" +
		"   8       1 sda1 9 1 90 5 19 2 190 6 0 7 8 3 0 30 4\n" +
		" 253       0 dm-0 10 0 100 5 20 0 200 6 0 7 8 0 0 0 0\n"
	for path, content := range map[string]string{
		filepath.Join(proc, "diskstats"): text, filepath.Join(sys, "block/sda/dev"): "8:0", filepath.Join(sys, "block/dm-0/slaves/sda/dev"): "8:0",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := RPC{Proc: proc, Sys: sys}.DiskStats(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0]
	if len(got.GetDevices()) != 3 {
		t.Errorf("devices = %d, want 3", len(got.GetDevices()))
	}
	want := &machinepb.DiskStat{
		ReadCompleted: 10, ReadMerged: 1, ReadSectors: 100, ReadTimeMs: 5, WriteCompleted: 20, WriteMerged: 2, WriteSectors: 200, WriteTimeMs: 6,
		IoTimeMs: 7, IoTimeWeightedMs: 8, DiscardCompleted: 3, DiscardSectors: 30, DiscardTimeMs: 4,
	}
	if diff := cmp.Diff(want, got.GetTotal(), protocmp.Transform()); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
}

func TestDiskStats_ReadsTheKernels(t *testing.T) {
	answer, err := kernel.DiskStats(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(answer.GetMessages()[0].GetDevices()), strings.Count(read(t, "/proc/diskstats"), "\n"); got != want {
		t.Errorf("devices = %d, want %d", got, want)
	}
}

func TestNetworkDeviceStats_AgreeWithTheKernel(t *testing.T) {
	answer, err := kernel.NetworkDeviceStats(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetMessages()[0]
	var names []string
	var sum uint64
	for _, d := range got.GetDevices() {
		names = append(names, d.GetName())
		sum += d.GetRxBytes()
	}
	var want []string
	for line := range strings.Lines(read(t, "/proc/self/net/dev")) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			want = append(want, name)
		}
	}
	if diff := cmp.Diff(want, names, cmp.Transformer("set", func(in []string) map[string]bool {
		out := map[string]bool{}
		for _, name := range in {
			out[name] = true
		}
		return out
	})); diff != "" {
		t.Errorf("interfaces (-want +got):\n%s", diff)
	}
	if got.GetTotal().GetRxBytes() != sum {
		t.Errorf("total = %d, want the sum %d", got.GetTotal().GetRxBytes(), sum)
	}
}

func TestProcesses_AgreeWithTheKernel(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	answer, err := kernel.Processes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range answer.GetMessages()[0].GetProcesses() {
		if int(p.GetPid()) != child.Process.Pid {
			continue
		}
		status := read(t, fmt.Sprintf("/proc/%d/status", p.GetPid()))
		if p.GetPpid() != int32(os.Getpid()) || uint64(p.GetThreads()) != number(t, status, "Threads") || p.GetVirtualMemory() != 1024*number(t, status, "VmSize") {
			t.Errorf("process = %v, want what the kernel says:\n%s", p, status)
		}
		if p.GetArgs() != "sleep 60" || !strings.HasPrefix(filepath.Base(p.GetExecutable()), p.GetCommand()) && p.GetCommand() != "sleep" {
			t.Errorf("process = %v, want sleep 60", p)
		}
		return
	}
	t.Error("the child is not listed")
}
