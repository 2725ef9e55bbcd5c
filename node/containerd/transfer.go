package containerd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	streamingapi "github.com/containerd/containerd/api/services/streaming/v1"
	transferapi "github.com/containerd/containerd/api/services/transfer/v1"
	"github.com/containerd/containerd/api/types"
	transfertypes "github.com/containerd/containerd/api/types/transfer"
	"github.com/containerd/platforms"
	"github.com/opencontainers/go-digest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// Progress is a step of a transfer; its fields are the engine's.
type Progress = transfertypes.Progress

func digestOf(text string) digest.Digest { return digest.Digest(text) }

// Pull makes the engine pull an image and unpack it. Hosts is the folder that
// says where the images of each registry come from. Progress is called from one
// goroutine, and not after Pull returned; nil for none.
func (c *Client) Pull(ctx context.Context, ref, hosts string, labels map[string]string, progress func(*Progress)) error {
	source := &transfertypes.OCIRegistry{Reference: ref, Resolver: &transfertypes.RegistryResolver{HostDir: hosts}}
	return c.transfer(ctx, source, store(ref, labels), progress)
}

// store is where an image goes, unpacked for this machine.
func store(ref string, labels map[string]string) *transfertypes.ImageStore {
	own := platforms.DefaultSpec()
	return &transfertypes.ImageStore{
		Name: ref, Labels: labels,
		Unpacks: []*transfertypes.UnpackConfiguration{{
			Platform:    &types.Platform{OS: own.OS, Architecture: own.Architecture, Variant: own.Variant, OSVersion: own.OSVersion},
			Snapshotter: Snapshotter,
		}},
	}
}

// Import makes the engine read an archive in the docker or OCI format, and
// unpack its images. It returns their names.
func (c *Client) Import(ctx context.Context, archive io.Reader) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := newID("import")
	data, err := c.open(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open stream: %w", err)
	}
	sent := make(chan error, 1)
	go func() { sent <- send(data, archive) }()
	into := store("", nil)
	// A name that the archive gives replaces the prefix.
	into.ExtraReferences = []*transfertypes.ImageReference{{Name: "import", IsPrefix: true, AllowOverwrite: true}}
	var names []string
	err = c.transfer(ctx, &transfertypes.ImageImportStream{Stream: id}, into, func(p *Progress) {
		if p.GetEvent() == "saved" {
			names = append(names, p.GetName())
		}
	})
	cancel() // the engine has read all that it wants
	return names, errors.Join(err, <-sent)
}

// transfer runs one transfer with its progress.
func (c *Client) transfer(ctx context.Context, source, destination proto.Message, progress func(*Progress)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, err := toAny(source)
	if err != nil {
		return err
	}
	to, err := toAny(destination)
	if err != nil {
		return err
	}
	request := &transferapi.TransferRequest{Source: from, Destination: to}
	if progress == nil {
		_, err := transferapi.NewTransferClient(c.conn).Transfer(ctx, request)
		return err
	}
	id := newID("progress")
	steps, err := c.open(ctx, id)
	if err != nil {
		return fmt.Errorf("open stream: %w", err)
	}
	request.Options = &transferapi.TransferOptions{ProgressStream: id}
	told := make(chan struct{})
	go func() {
		defer close(told)
		for {
			message, err := steps.Recv()
			if err != nil {
				return
			}
			step := &Progress{}
			if TypeName(message.GetTypeUrl()) == typeName(step) && proto.Unmarshal(message.GetValue(), step) == nil {
				progress(step)
			}
		}
	}()
	_, err = transferapi.NewTransferClient(c.conn).Transfer(ctx, request)
	// The engine ends the stream with the transfer.
	end := time.AfterFunc(lastProgress, cancel)
	defer end.Stop()
	<-told
	return err
}

// open opens a stream that a transfer knows by its id. The engine has taken
// note of it when open returns.
func (c *Client) open(ctx context.Context, id string) (streamingapi.Streaming_StreamClient, error) {
	s, err := streamingapi.NewStreamingClient(c.conn).Stream(ctx)
	if err != nil {
		return nil, err
	}
	hello, err := toAny(&streamingapi.StreamInit{ID: id})
	if err != nil {
		return nil, err
	}
	if err := s.Send(hello); err != nil {
		return nil, err
	}
	if _, err := s.Recv(); err != nil {
		return nil, err
	}
	return s, nil
}

// lastProgress bounds the wait for progress after the end of a transfer.
const lastProgress = time.Second

// chunk bounds the bytes of a message.
const chunk = 32 << 10

// send writes all that r gives, never more than the other side has asked for.
func send(s streamingapi.Streaming_StreamClient, r io.Reader) error {
	defer func() { _ = s.CloseSend() }()
	buffer := make([]byte, chunk)
	for window := 0; ; {
		for window == 0 {
			message, err := s.Recv()
			if err != nil {
				return nil // the transfer's answer says why
			}
			update := &transfertypes.WindowUpdate{}
			if err := proto.Unmarshal(message.GetValue(), update); err != nil {
				return fmt.Errorf("read what the engine asks for: %w", err)
			}
			window += int(update.GetUpdate())
		}
		n, err := r.Read(buffer[:min(window, chunk)])
		if n > 0 {
			window -= n
			data, err := toAny(&transfertypes.Data{Data: buffer[:n]})
			if err != nil {
				return err
			}
			if s.Send(data) != nil {
				return nil // as above
			}
		}
		if isEOF(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
	}
}

func typeName(m proto.Message) string { return string(m.ProtoReflect().Descriptor().FullName()) }

// toAny packs a message as the engine wants it: named by its type alone.
func toAny(m proto.Message) (*anypb.Any, error) {
	value, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", typeName(m), err)
	}
	return &anypb.Any{TypeUrl: typeName(m), Value: value}, nil
}

// newID names a stream, unlike any other.
func newID(what string) string { return what + "-" + rand.Text() }
