package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	commonpb "github.com/ichor-os/ichor/api/common"
	"github.com/ichor-os/ichor/cli/target"
)

// chunk is the largest piece of a file in one message, in bytes.
const chunk = 64 << 10

// sendSnapshot uploads a snapshot of etcd to begin with.
func sendSnapshot(ctx context.Context, s *target.Session, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	stream, err := s.Machine.EtcdRecover(ctx)
	if err != nil {
		return err
	}
	buffer := make([]byte, chunk)
	for {
		n, err := file.Read(buffer)
		if n > 0 {
			// What the node says about a failed piece comes with the answer.
			if stream.Send(&commonpb.Data{Bytes: buffer[:n]}) != nil {
				break
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read snapshot: %w", err)
		}
	}
	_, err = stream.CloseAndRecv()
	return err
}
