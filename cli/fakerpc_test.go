//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ichor-os/ichor/api/applyconfig"
	commonpb "github.com/ichor-os/ichor/api/common"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	storagepb "github.com/ichor-os/ichor/api/storage"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

func (n *fakeNode) Version(ctx context.Context, _ *emptypb.Empty) (*machinepb.VersionResponse, error) {
	response := &machinepb.VersionResponse{}
	for _, m := range asked(ctx) {
		message := &machinepb.Version{Metadata: m}
		if m.GetError() == "" {
			message.Version = &machinepb.VersionInfo{Tag: "v1.13.9"}
			message.Platform = &machinepb.PlatformInfo{Name: "container", Mode: "container"}
		}
		response.Messages = append(response.Messages, message)
	}
	return response, nil
}

func (n *fakeNode) ServiceList(ctx context.Context, _ *emptypb.Empty) (*machinepb.ServiceListResponse, error) {
	response := &machinepb.ServiceListResponse{}
	for _, m := range asked(ctx) {
		message := &machinepb.ServiceList{Metadata: m}
		if m.GetError() == "" {
			message.Services = []*machinepb.ServiceInfo{
				{Id: "etcd", State: "Running", Health: &machinepb.ServiceHealth{Healthy: true}},
				{Id: "kubelet", State: "Waiting", Health: &machinepb.ServiceHealth{Unknown: true}},
			}
		}
		response.Messages = append(response.Messages, message)
	}
	return response, nil
}

func (n *fakeNode) ServiceStop(ctx context.Context, in *machinepb.ServiceStopRequest) (*machinepb.ServiceStopResponse, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	return &machinepb.ServiceStopResponse{Messages: []*machinepb.ServiceStop{{Resp: in.GetId() + " stopped"}}}, nil
}

func (n *fakeNode) EtcdMemberList(ctx context.Context, _ *machinepb.EtcdMemberListRequest) (*machinepb.EtcdMemberListResponse, error) {
	response := &machinepb.EtcdMemberListResponse{}
	for _, m := range asked(ctx) {
		response.Messages = append(response.Messages, &machinepb.EtcdMembers{Metadata: m, Members: []*machinepb.EtcdMember{
			{Id: 255, Hostname: "one", PeerUrls: []string{"https://10.0.0.2:2380"}, ClientUrls: []string{"https://10.0.0.2:2379"}},
		}})
	}
	return response, nil
}

func (n *fakeNode) Logs(in *machinepb.LogsRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	n.mu.Lock()
	n.logs = in
	n.mu.Unlock()
	for _, m := range asked(stream.Context()) {
		pieces := []string{"first li", "ne\nsecond", " line\n"}
		if m.GetError() != "" {
			pieces = []string{""}
		}
		for _, piece := range pieces {
			if err := stream.Send(&commonpb.Data{Metadata: m, Bytes: []byte(piece)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *fakeNode) Read(in *machinepb.ReadRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	return stream.Send(&commonpb.Data{Bytes: []byte("content of " + in.GetPath() + "\n")})
}

func (n *fakeNode) List(_ *machinepb.ListRequest, stream grpc.ServerStreamingServer[machinepb.FileInfo]) error {
	for _, m := range asked(stream.Context()) {
		for _, info := range []*machinepb.FileInfo{
			{Name: "/var/a", RelativeName: "a", Size: 2048, Mode: 0o644, Modified: 1767225600, Uid: 60, Gid: 60},
			{Name: "/var/l", RelativeName: "l", Link: "a", Mode: 0o777 | 1<<27, Modified: 1767225600},
			{Name: "/var/x", Error: "permission denied"},
		} {
			info.Metadata = m
			if err := stream.Send(info); err != nil {
				return err
			}
		}
	}
	return nil
}

// archive packs files, as nodes send them.
func archive(files map[string]string) []byte {
	var text bytes.Buffer
	zipped := gzip.NewWriter(&text)
	packed := tar.NewWriter(zipped)
	for name, content := range files {
		_ = packed.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(content))})
		_, _ = packed.Write([]byte(content))
	}
	_ = packed.Close()
	_ = zipped.Close()
	return text.Bytes()
}

func (n *fakeNode) Copy(in *machinepb.CopyRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	files := map[string]string{"a/b": "deep", "c": "flat"}
	if in.GetRootPath() == "/evil" {
		files = map[string]string{"../escaped": "x"}
	}
	return stream.Send(&commonpb.Data{Bytes: archive(files)})
}

func (n *fakeNode) Kubeconfig(_ *emptypb.Empty, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	config, err := kubeconfig.NewAdmin(kubeconfig.Admin{Cluster: "fake", Server: "https://10.0.0.1:6443", CA: []byte("authority")})
	if err != nil {
		return err
	}
	text, err := config.Encode()
	if err != nil {
		return err
	}
	return stream.Send(&commonpb.Data{Bytes: archive(map[string]string{"kubeconfig": string(text)})})
}

func (n *fakeNode) ApplyConfiguration(ctx context.Context, in *machinepb.ApplyConfigurationRequest) (*machinepb.ApplyConfigurationResponse, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.applied = append(n.applied, in)
	n.changed, _ = metadata.FromIncomingContext(ctx)
	if strings.Contains(string(in.GetData()), "nonsense") {
		return nil, status.Error(codes.InvalidArgument, "config is not valid: nonsense")
	}
	if n.waits > 0 {
		if err := grpc.SetHeader(ctx, metadata.Pairs(applyconfig.BoundKey, "10s")); err != nil {
			return nil, err
		}
	}
	if in.GetDryRun() {
		return &machinepb.ApplyConfigurationResponse{Messages: []*machinepb.ApplyConfiguration{
			{Mode: in.GetMode(), ModeDetails: "Dry run.\n\nPlan:\nfakes a change\n\nDifferences:\nnone"},
		}}, nil
	}
	if n.waits > 0 {
		return &machinepb.ApplyConfigurationResponse{Messages: []*machinepb.ApplyConfiguration{
			{Mode: machinepb.ApplyConfigurationRequest_NO_REBOOT, ModeDetails: "It may cut the node off."},
		}}, nil
	}
	return &machinepb.ApplyConfigurationResponse{Messages: []*machinepb.ApplyConfiguration{
		{Mode: in.GetMode(), ModeDetails: "Applied without a reboot.", Warnings: []string{"a key is old"}},
	}}, nil
}

func (n *fakeNode) GenerateClientConfiguration(_ context.Context, in *machinepb.GenerateClientConfigurationRequest) (*machinepb.GenerateClientConfigurationResponse, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.roles = in
	return &machinepb.GenerateClientConfigurationResponse{Messages: []*machinepb.GenerateClientConfiguration{{Talosconfig: []byte("context: new\ncontexts:\n    new:\n        endpoints: []\n        nodes: []\n")}}}, nil
}

// manyDocuments is a machine config as nodes send it: one text.
const manyDocuments = "|\n  version: v1alpha1\n  machine:\n    type: worker\n  ---\n  apiVersion: v1alpha1\n  kind: HostnameConfig\n  hostname: a\n"

func fakeResources() map[string][]*resourcepb.Resource {
	make := func(namespace, kind, id, yaml string) *resourcepb.Resource {
		return &resourcepb.Resource{
			Metadata: &resourcepb.Metadata{Namespace: namespace, Type: kind, Id: id, Version: "1", Phase: "running"},
			Spec:     &resourcepb.Spec{YamlSpec: yaml},
		}
	}
	const definitions = "ResourceDefinitions.meta.cosi.dev"
	return map[string][]*resourcepb.Resource{
		definitions: {
			make("meta", definitions, "members", "{type: Members.cluster.talos.dev, displayType: Member, defaultNamespace: cluster, allAliases: [member, ms], "+
				"printColumns: [{name: Hostname, jsonPath: '{.hostname}'}, {name: Addresses, jsonPath: '{.addresses}'}, {name: Gone, jsonPath: '{.a.b}'}]}"),
			make("meta", definitions, "mounts", "{type: MountStatuses.runtime.talos.dev, displayType: MountStatus, defaultNamespace: runtime, aliases: [mounts], allAliases: [mounts, ms]}"),
			make("meta", definitions, "mc", "{type: MachineConfigs.config.talos.dev, displayType: MachineConfig, defaultNamespace: config, aliases: [mc]}"),
		},
		"Members.cluster.talos.dev": {
			make("cluster", "Members.cluster.talos.dev", "two", "{hostname: two, addresses: [10.0.0.3, 'fd00::3']}"),
			make("cluster", "Members.cluster.talos.dev", "one", "{hostname: one, addresses: [10.0.0.2]}"),
		},
		"MachineConfigs.config.talos.dev": {
			make("config", "MachineConfigs.config.talos.dev", "persistent", manyDocuments),
			make("config", "MachineConfigs.config.talos.dev", "v1alpha1", "version: v1alpha1\nmachine:\n  type: worker\n"),
		},
	}
}

func (n *fakeNode) Netstat(ctx context.Context, in *machinepb.NetstatRequest) (*machinepb.NetstatResponse, error) {
	response := &machinepb.NetstatResponse{}
	for _, m := range asked(ctx) {
		message := &machinepb.Netstat{Metadata: m}
		if m.GetError() == "" && in.GetFilter() == machinepb.NetstatRequest_LISTENING && in.GetL4Proto().GetTcp6() && !in.GetL4Proto().GetTcp() {
			message.Connectrecord = []*machinepb.ConnectRecord{{
				L4Proto: "tcp6", Localip: "::", Localport: 6443, Remoteip: "::", State: machinepb.ConnectRecord_LISTEN,
				Process: &machinepb.ConnectRecord_Process{Pid: 7, Name: "api"},
			}}
		}
		response.Messages = append(response.Messages, message)
	}
	return response, nil
}

// fakeDisks serves storage.StorageService.
type fakeDisks struct {
	storagepb.UnimplementedStorageServiceServer
}

func (fakeDisks) Disks(ctx context.Context, _ *emptypb.Empty) (*storagepb.DisksResponse, error) {
	response := &storagepb.DisksResponse{}
	for _, m := range asked(ctx) {
		message := &storagepb.Disks{Metadata: m}
		if m.GetError() == "" {
			message.Disks = []*storagepb.Disk{{DeviceName: "/dev/sda", Size: 10e9, Type: storagepb.Disk_SSD, Readonly: true}}
		}
		response.Messages = append(response.Messages, message)
	}
	return response, nil
}

func (fakeDisks) BlockDeviceWipe(ctx context.Context, in *storagepb.BlockDeviceWipeRequest) (*storagepb.BlockDeviceWipeResponse, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	if d := in.GetDevices()[0]; d.GetDevice() != "sda" || d.GetMethod() != storagepb.BlockDeviceWipeDescriptor_ZEROES {
		return nil, status.Errorf(codes.InvalidArgument, "asked for %v", d)
	}
	return &storagepb.BlockDeviceWipeResponse{}, nil
}
