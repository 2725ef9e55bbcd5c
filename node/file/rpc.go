package file

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about files.
type RPC struct{}

// chunk is the largest piece of a file in one message, in bytes.
const chunk = 64 << 10

func fault(what, path string, err error) error {
	code := codes.Internal
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = codes.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = codes.PermissionDenied
	}
	return status.Errorf(code, "%s: %s: %v", what, path, err)
}

// Read implements MachineService. Only regular files are read: a pipe or a
// device could block or never end.
func (RPC) Read(in *machinepb.ReadRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	path := filepath.Clean(in.GetPath())
	info, err := os.Stat(path)
	if err != nil {
		return fault("read file", path, err)
	}
	if !info.Mode().IsRegular() {
		return status.Errorf(codes.InvalidArgument, "read file: %s: is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fault("read file", path, err)
	}
	defer f.Close()
	return copyTo(stream, f)
}

func copyTo(stream grpc.ServerStreamingServer[commonpb.Data], from io.Reader) error {
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if err := stream.Send(&commonpb.Data{Bytes: buffer[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return status.Errorf(codes.Internal, "read: %v", err)
		}
	}
}

// List implements MachineService. What cannot be read is an item with its error.
func (RPC) List(in *machinepb.ListRequest, stream grpc.ServerStreamingServer[machinepb.FileInfo]) error {
	root := filepath.Clean(orRoot(in.GetRoot()))
	limit := 1
	if in.GetRecurse() {
		limit = int(in.GetRecursionDepth())
		if limit <= 0 {
			limit = 1 << 16
		}
	}
	return walk(root, limit, func(path string, info fs.FileInfo, err error) error {
		if sendErr := stream.Context().Err(); sendErr != nil {
			return sendErr
		}
		if err == nil && !wantedType(info.Mode(), in.GetTypes()) {
			return nil
		}
		return stream.Send(describe(root, path, info, err))
	})
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// walk calls fn for root and for what lies below it, up to limit levels.
func walk(root string, limit int, fn func(path string, info fs.FileInfo, err error) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fn(path, nil, err)
		}
		info, err := entry.Info()
		if err := fn(path, info, err); err != nil {
			return err
		}
		if entry.IsDir() && depth(root, path) >= limit {
			return fs.SkipDir
		}
		return nil
	})
}

// depth counts the levels of path below root.
func depth(root, path string) int {
	relative, err := filepath.Rel(root, path)
	if err != nil || relative == "." {
		return 0
	}
	return strings.Count(relative, "/") + 1
}

func wantedType(mode fs.FileMode, types []machinepb.ListRequest_Type) bool {
	if len(types) == 0 {
		return true
	}
	switch {
	case mode.IsRegular():
		return slices.Contains(types, machinepb.ListRequest_REGULAR)
	case mode.IsDir():
		return slices.Contains(types, machinepb.ListRequest_DIRECTORY)
	case mode&fs.ModeSymlink != 0:
		return slices.Contains(types, machinepb.ListRequest_SYMLINK)
	}
	return false
}

func describe(root, path string, info fs.FileInfo, err error) *machinepb.FileInfo {
	relative, relErr := filepath.Rel(root, path)
	if relErr != nil {
		relative = path
	}
	item := &machinepb.FileInfo{Name: path, RelativeName: relative}
	if err != nil {
		item.Error = err.Error()
		return item
	}
	item.Size, item.Mode, item.Modified, item.IsDir = info.Size(), uint32(info.Mode()), info.ModTime().Unix(), info.IsDir()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		item.Uid, item.Gid = stat.Uid, stat.Gid
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if item.Link, err = os.Readlink(path); err != nil {
			item.Error = err.Error()
		}
	}
	return item
}

// DiskUsage implements MachineService: the size of each path and, down to the
// depth asked for, of what lies in it.
func (RPC) DiskUsage(in *machinepb.DiskUsageRequest, stream grpc.ServerStreamingServer[machinepb.DiskUsageInfo]) error {
	for _, path := range in.GetPaths() {
		if _, err := usage(in, stream, filepath.Clean(path), filepath.Clean(path)); err != nil {
			return err
		}
	}
	return nil
}

func usage(in *machinepb.DiskUsageRequest, stream grpc.ServerStreamingServer[machinepb.DiskUsageInfo], root, path string) (int64, error) {
	if err := stream.Context().Err(); err != nil {
		return 0, err
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return 0, err
	}
	item := &machinepb.DiskUsageInfo{Name: path, RelativeName: relative}
	info, err := os.Lstat(path)
	if err != nil {
		item.Error = err.Error()
		return 0, stream.Send(item)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		item.Size = stat.Blocks * 512
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			item.Error = err.Error()
		}
		for _, entry := range entries {
			below, err := usage(in, stream, root, filepath.Join(path, entry.Name()))
			if err != nil {
				return 0, err
			}
			item.Size += below
		}
	}
	level := depth(root, path)
	shown := (info.IsDir() || in.GetAll() || level == 0) && (in.GetRecursionDepth() <= 0 || level <= int(in.GetRecursionDepth()))
	if threshold := in.GetThreshold(); threshold > 0 && item.Size < threshold || threshold < 0 && item.Size > -threshold {
		shown = false
	}
	if !shown && item.Error == "" {
		return item.Size, nil
	}
	return item.Size, stream.Send(item)
}

// Copy implements MachineService: a gzipped tar of a file or folder.
func (RPC) Copy(in *machinepb.CopyRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	root := filepath.Clean(in.GetRootPath())
	if _, err := os.Lstat(root); err != nil {
		return fault("copy", root, err)
	}
	read, write := io.Pipe()
	go func() { write.CloseWithError(pack(root, write)) }()
	defer read.Close()
	return copyTo(stream, read)
}

func pack(root string, out io.Writer) error {
	zipped := gzip.NewWriter(out)
	archive := tar.NewWriter(zipped)
	err := walk(root, 1<<16, func(path string, info fs.FileInfo, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went away meanwhile
		}
		if err != nil {
			return err
		}
		return packOne(archive, root, path, info)
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}

func packOne(archive *tar.Writer, root, path string, info fs.FileInfo) error {
	link := ""
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		var err error
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil // sockets, pipes and devices mean nothing elsewhere
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return fmt.Errorf("pack: %s: %w", path, err)
	}
	if header.Name, err = filepath.Rel(filepath.Dir(root), path); err != nil {
		return err
	}
	if path == root && info.IsDir() {
		header.Name = "."
	} else if info, err := os.Lstat(root); err == nil && info.IsDir() {
		if header.Name, err = filepath.Rel(root, path); err != nil {
			return err
		}
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// A file that grows meanwhile is packed as long as its header says.
	_, err = io.CopyN(archive, f, header.Size)
	return err
}
