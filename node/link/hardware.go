package link

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
)

// hardware adds what /sys and the driver know of a network card. What is not
// known stays empty.
func (k *Kernel) hardware(name string, s *spec.LinkStatusSpec) {
	folder := filepath.Join(k.sys, name)
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	if speed, err := strconv.Atoi(read("speed")); err == nil && speed > 0 {
		s.SpeedMbit = speed
	}
	switch read("duplex") {
	case "full":
		s.Duplex = spec.DuplexFull
	case "half":
		s.Duplex = spec.DuplexHalf
	}
	device := "device"
	if strings.HasPrefix(filepath.Base(readLink(filepath.Join(folder, device))), "virtio") {
		device = "device/.." // the PCI device that the virtio one stands on
	}
	vendor, product := read(device+"/vendor"), read(device+"/device")
	if vendor != "" && product != "" {
		s.VendorID, s.ProductID = vendor, product
		s.PCIID = strings.ToUpper(strings.TrimPrefix(vendor, "0x") + ":" + strings.TrimPrefix(product, "0x"))
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if info, err := unix.IoctlGetEthtoolDrvinfo(fd, name); err == nil {
		s.Driver = unix.ByteSliceToString(info.Driver[:])
		s.DriverVersion = unix.ByteSliceToString(info.Version[:])
		s.FirmwareVersion = unix.ByteSliceToString(info.Fw_version[:])
		s.BusPath = unix.ByteSliceToString(info.Bus_info[:])
	}
}

func readLink(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return target
}
