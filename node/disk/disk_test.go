package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"

	storagepb "github.com/ichor-os/ichor/api/storage"
)

// sysfs makes a tree with attributes of block devices.
func sysfs(t *testing.T, attributes map[string]string) string {
	t.Helper()
	sys := t.TempDir()
	for path, content := range attributes {
		path = filepath.Join(sys, "block", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return sys
}

func TestDisks_AreListedAsTheKernelKnowsThemAndReadOnly(t *testing.T) {
	sys := sysfs(t, map[string]string{
		"sda/size": "2000", "sda/ro": "0", "sda/queue/rotational": "1", "sda/device/model": "MODEL A ", "sda/device/serial": "S1",
		"nvme0n1/size": "4000", "nvme0n1/ro": "0", "nvme0n1/queue/rotational": "0", "nvme0n1/wwid": "eui.1",
		"vdb/size": "8", "vdb/ro": "1", "vdb/queue/rotational": "0", "vdb/serial": "V",
		"mmcblk0/size": "16", "mmcblk0/device/name": "SD16G",
		"sr0/size": "0", "dm-0/size": "5000", "loop0/size": "9", "md127/size": "9",
	})
	answer, err := Service{Sys: sys}.Disks(t.Context(), &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	want := []*storagepb.Disk{
		{DeviceName: "/dev/mmcblk0", Size: 16 * 512, Name: "SD16G", Type: storagepb.Disk_SD, Readonly: true},
		{DeviceName: "/dev/nvme0n1", Size: 4000 * 512, Wwid: "eui.1", Type: storagepb.Disk_NVME, Readonly: true},
		{DeviceName: "/dev/sda", Size: 2000 * 512, Model: "MODEL A", Serial: "S1", Type: storagepb.Disk_HDD, Readonly: true},
		{DeviceName: "/dev/vdb", Size: 8 * 512, Serial: "V", Type: storagepb.Disk_SSD, Readonly: true},
	}
	if diff := cmp.Diff(want, answer.GetMessages()[0].GetDisks(), protocmp.Transform()); diff != "" {
		t.Errorf("disks (-want +got):\n%s", diff)
	}
}

func TestBlockDeviceWipe_NeedsADisk(t *testing.T) {
	_, err := Service{}.BlockDeviceWipe(t.Context(), &storagepb.BlockDeviceWipeRequest{})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "needs a disk") {
		t.Errorf("wipe = %v, want FailedPrecondition that says what it needs", err)
	}
}
