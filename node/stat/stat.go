// Package stat answers how busy a node is: memory, processors, load, disks,
// interfaces and processes, as the kernel counts them in procfs and sysfs.
//
// A node in namespaces shares its kernel with others: memory, load, processors
// and disks are those of the computer; processes and interfaces are the node's
// own. Package prometheus/procfs reads the kernel's formats.
package stat

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
	"github.com/prometheus/procfs/sysfs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about what the kernel counts.
type RPC struct {
	// Proc and Sys are where procfs and sysfs are mounted.
	Proc, Sys string
}

func unread(what string, err error) error {
	return status.Errorf(codes.Internal, "read %s: %v", what, err)
}

func (r RPC) proc() (procfs.FS, error) {
	files, err := procfs.NewFS(r.Proc)
	if err != nil {
		return files, unread("procfs", err)
	}
	return files, nil
}

// LoadAvg implements MachineService.
func (r RPC) LoadAvg(context.Context, *emptypb.Empty) (*machinepb.LoadAvgResponse, error) {
	files, err := r.proc()
	if err != nil {
		return nil, err
	}
	load, err := files.LoadAvg()
	if err != nil {
		return nil, unread("load", err)
	}
	return &machinepb.LoadAvgResponse{Messages: []*machinepb.LoadAvg{{Load1: load.Load1, Load5: load.Load5, Load15: load.Load15}}}, nil
}

// SystemStat implements MachineService. Processor times are in seconds.
func (r RPC) SystemStat(context.Context, *emptypb.Empty) (*machinepb.SystemStatResponse, error) {
	files, err := r.proc()
	if err != nil {
		return nil, err
	}
	s, err := files.Stat()
	if err != nil {
		return nil, unread("system statistics", err)
	}
	answer := &machinepb.SystemStat{
		BootTime: s.BootTime, CpuTotal: processorTimes(s.CPUTotal), IrqTotal: s.IRQTotal, Irq: s.IRQ, ContextSwitches: s.ContextSwitches,
		ProcessCreated: s.ProcessCreated, ProcessRunning: s.ProcessesRunning, ProcessBlocked: s.ProcessesBlocked, SoftIrqTotal: s.SoftIRQTotal,
		SoftIrq: &machinepb.SoftIRQStat{
			Hi: s.SoftIRQ.Hi, Timer: s.SoftIRQ.Timer, NetTx: s.SoftIRQ.NetTx, NetRx: s.SoftIRQ.NetRx, Block: s.SoftIRQ.Block,
			BlockIoPoll: s.SoftIRQ.BlockIoPoll, Tasklet: s.SoftIRQ.Tasklet, Sched: s.SoftIRQ.Sched, Hrtimer: s.SoftIRQ.Hrtimer, Rcu: s.SoftIRQ.Rcu,
		},
	}
	for _, number := range slices.Sorted(maps.Keys(s.CPU)) {
		answer.Cpu = append(answer.Cpu, processorTimes(s.CPU[number]))
	}
	return &machinepb.SystemStatResponse{Messages: []*machinepb.SystemStat{answer}}, nil
}

func processorTimes(s procfs.CPUStat) *machinepb.CPUStat {
	return &machinepb.CPUStat{
		User: s.User, Nice: s.Nice, System: s.System, Idle: s.Idle, Iowait: s.Iowait, Irq: s.IRQ, SoftIrq: s.SoftIRQ,
		Steal: s.Steal, Guest: s.Guest, GuestNice: s.GuestNice,
	}
}

// CPUInfo implements MachineService.
func (r RPC) CPUInfo(context.Context, *emptypb.Empty) (*machinepb.CPUInfoResponse, error) {
	files, err := r.proc()
	if err != nil {
		return nil, err
	}
	processors, err := files.CPUInfo()
	if err != nil {
		return nil, unread("processors", err)
	}
	answer := &machinepb.CPUsInfo{}
	for _, c := range processors {
		answer.CpuInfo = append(answer.CpuInfo, &machinepb.CPUInfo{
			Processor: uint32(c.Processor), VendorId: c.VendorID, CpuFamily: c.CPUFamily, Model: c.Model, ModelName: c.ModelName,
			Stepping: c.Stepping, Microcode: c.Microcode, CpuMhz: c.CPUMHz, CacheSize: c.CacheSize, PhysicalId: c.PhysicalID,
			Siblings: uint32(c.Siblings), CoreId: c.CoreID, CpuCores: uint32(c.CPUCores), ApicId: c.APICID, InitialApicId: c.InitialAPICID,
			Fpu: c.FPU, FpuException: c.FPUException, CpuIdLevel: uint32(c.CPUIDLevel), Wp: c.WP, Flags: c.Flags, Bugs: c.Bugs,
			BogoMips: c.BogoMips, ClFlushSize: uint32(c.CLFlushSize), CacheAlignment: uint32(c.CacheAlignment),
			AddressSizes: c.AddressSizes, PowerManagement: c.PowerManagement,
		})
	}
	return &machinepb.CPUInfoResponse{Messages: []*machinepb.CPUsInfo{answer}}, nil
}

// CPUFreqStats implements MachineService, in kHz. A computer whose processors
// have no frequency scaling, as most virtual ones, gives an empty list.
func (r RPC) CPUFreqStats(context.Context, *emptypb.Empty) (*machinepb.CPUFreqStatsResponse, error) {
	files, err := sysfs.NewFS(r.Sys)
	if err != nil {
		return nil, unread("sysfs", err)
	}
	processors, err := files.SystemCpufreq()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unread("processor frequencies", err)
	}
	answer := &machinepb.CPUsFreqStats{}
	for _, c := range processors {
		if c.ScalingMaximumFrequency == nil && c.CpuinfoMaximumFrequency == nil {
			continue // its folder is there, and nothing in it
		}
		answer.CpuFreqStats = append(answer.CpuFreqStats, &machinepb.CPUFreqStats{
			CurrentFrequency: first(c.CpuinfoCurrentFrequency, c.ScalingCurrentFrequency),
			MinimumFrequency: first(c.CpuinfoMinimumFrequency, c.ScalingMinimumFrequency),
			MaximumFrequency: first(c.CpuinfoMaximumFrequency, c.ScalingMaximumFrequency),
			Governor:         c.Governor,
		})
	}
	return &machinepb.CPUFreqStatsResponse{Messages: []*machinepb.CPUsFreqStats{answer}}, nil
}

// first is the first number that there is.
func first(numbers ...*uint64) uint64 {
	for _, n := range numbers {
		if n != nil {
			return *n
		}
	}
	return 0
}

// DiskStats implements MachineService. A sector has 512 bytes. The total leaves
// out partitions and what lies on other disks, so that nothing counts twice.
func (r RPC) DiskStats(context.Context, *emptypb.Empty) (*machinepb.DiskStatsResponse, error) {
	files, err := blockdevice.NewFS(r.Proc, r.Sys)
	if err != nil {
		return nil, unread("disks", err)
	}
	disks, err := files.ProcDiskstats()
	if err != nil {
		return nil, unread("disk statistics", err)
	}
	whole, err := files.SysBlockDevices()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unread("disks", err)
	}
	answer := &machinepb.DiskStats{Total: &machinepb.DiskStat{}}
	for _, d := range disks {
		one := &machinepb.DiskStat{
			Name: d.DeviceName, ReadCompleted: d.ReadIOs, ReadMerged: d.ReadMerges, ReadSectors: d.ReadSectors, ReadTimeMs: d.ReadTicks,
			WriteCompleted: d.WriteIOs, WriteMerged: d.WriteMerges, WriteSectors: d.WriteSectors, WriteTimeMs: d.WriteTicks,
			IoInProgress: d.IOsInProgress, IoTimeMs: d.IOsTotalTicks, IoTimeWeightedMs: d.WeightedIOTicks,
			DiscardCompleted: d.DiscardIOs, DiscardMerged: d.DiscardMerges, DiscardSectors: d.DiscardSectors, DiscardTimeMs: d.DiscardTicks,
		}
		answer.Devices = append(answer.Devices, one)
		if slices.Contains(whole, d.DeviceName) && !stacked(r.Sys, d.DeviceName) {
			addDisk(answer.Total, one)
		}
	}
	return &machinepb.DiskStatsResponse{Messages: []*machinepb.DiskStats{answer}}, nil
}

// NetworkDeviceStats implements MachineService.
func (r RPC) NetworkDeviceStats(context.Context, *emptypb.Empty) (*machinepb.NetworkDeviceStatsResponse, error) {
	files, err := r.proc()
	if err != nil {
		return nil, err
	}
	links, err := files.NetDev()
	if err != nil {
		return nil, unread("interface statistics", err)
	}
	answer := &machinepb.NetworkDeviceStats{Total: interfaceCounts(links.Total())}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		answer.Devices = append(answer.Devices, interfaceCounts(links[name]))
	}
	return &machinepb.NetworkDeviceStatsResponse{Messages: []*machinepb.NetworkDeviceStats{answer}}, nil
}

func interfaceCounts(l procfs.NetDevLine) *machinepb.NetDev {
	return &machinepb.NetDev{
		Name: l.Name, RxBytes: l.RxBytes, RxPackets: l.RxPackets, RxErrors: l.RxErrors, RxDropped: l.RxDropped, RxFifo: l.RxFIFO,
		RxFrame: l.RxFrame, RxCompressed: l.RxCompressed, RxMulticast: l.RxMulticast, TxBytes: l.TxBytes, TxPackets: l.TxPackets,
		TxErrors: l.TxErrors, TxDropped: l.TxDropped, TxFifo: l.TxFIFO, TxCollisions: l.TxCollisions, TxCarrier: l.TxCarrier, TxCompressed: l.TxCompressed,
	}
}
