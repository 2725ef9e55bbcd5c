package disk

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	storagepb "github.com/ichor-os/ichor/api/storage"
)

// Service serves StorageService of a node in namespaces.
type Service struct {
	storagepb.UnimplementedStorageServiceServer
	// Sys is where sysfs is.
	Sys string
}

// Disks implements StorageService: the computer's disks, which are read-only to
// the node whatever they are to the computer.
func (s Service) Disks(context.Context, *emptypb.Empty) (*storagepb.DisksResponse, error) {
	list, err := List(s.Sys)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	for _, d := range list {
		d.Readonly = true
	}
	return &storagepb.DisksResponse{Messages: []*storagepb.Disks{{Disks: list}}}, nil
}

// BlockDeviceWipe implements StorageService.
func (Service) BlockDeviceWipe(context.Context, *storagepb.BlockDeviceWipeRequest) (*storagepb.BlockDeviceWipeResponse, error) {
	return nil, status.Error(codes.FailedPrecondition,
		"wiping needs a disk of the node's own: this node runs in namespaces, and the disks it lists are the computer's: "+
			"use 'reset' to wipe what the node keeps, or the computer's own tools")
}
