//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package client

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
)

// A Message is a part of a merged answer: what one node said.
type Message interface {
	GetMetadata() *commonpb.Metadata
}

// A NodeError is what one node of several failed with.
type NodeError struct {
	Node  string
	Cause *status.Status

	reason error // what ForEach was given, which may say more than Cause
}

// Error names the node, unless it is the endpoint itself, and what it said.
func (e *NodeError) Error() string {
	reason := e.Cause.Message()

	switch {
	case e.reason != nil:
		reason = e.reason.Error()
	case e.Cause.Code() == codes.Unavailable:
		what, advice := explainTarget(reason)
		if reason = what; advice != "" {
			reason += ": " + advice
		}
	case e.Cause.Code() == codes.Unimplemented:
		reason += ": the node does not serve this"
	}

	if e.Node == "" {
		return reason
	}

	return fmt.Sprintf("%s: %s", e.Node, reason)
}

// Unwrap returns the error that ForEach was given, if it comes from there.
func (e *NodeError) Unwrap() error { return e.reason }

// GRPCStatus returns the status of the node.
func (e *NodeError) GRPCStatus() *status.Status { return e.Cause }

// NodeErrors are those of several nodes. They do not undo what others answered.
type NodeErrors []*NodeError

// Error names each node in a line of its own.
func (e NodeErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}

	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one.
func (e NodeErrors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}

	return out
}

// Node returns the node that a message comes from, as it was named in
// WithNodes, or "" if the endpoint answered for itself.
func Node(m Message) string { return m.GetMetadata().GetHostname() }

// Failure returns what the node of a message failed with, or nil.
func Failure(m Message) *NodeError {
	metadata := m.GetMetadata()

	switch {
	case metadata.GetStatus().GetCode() != 0:
		return &NodeError{Node: metadata.GetHostname(), Cause: status.FromProto(metadata.GetStatus())}
	case metadata.GetError() != "":
		return &NodeError{Node: metadata.GetHostname(), Cause: status.New(codes.Unknown, metadata.GetError())}
	}

	return nil
}

// Answers splits the messages of a merged answer into those that are answers
// and the errors of the other nodes. The error is nil or NodeErrors; the
// answers are good either way.
func Answers[M Message](messages []M) ([]M, error) {
	var (
		answers []M
		failed  NodeErrors
	)

	for _, message := range messages {
		if failure := Failure(message); failure != nil {
			failed = append(failed, failure)
		} else {
			answers = append(answers, message)
		}
	}

	if len(failed) == 0 {
		return answers, nil
	}

	return answers, failed
}

// Collect passes each item of a stream to use as it comes. Errors of single
// nodes are returned at the end, as NodeErrors; an error of the stream itself
// or of use ends it. Who ends it early cancels the context of the stream.
func Collect[M Message](stream interface{ Recv() (M, error) }, use func(M) error) error {
	var failed NodeErrors

	for {
		item, err := stream.Recv()

		switch {
		case errors.Is(err, io.EOF) && len(failed) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return failed
		case err != nil && len(failed) == 0:
			return err
		case err != nil:
			return errors.Join(failed, err)
		}

		if failure := Failure(item); failure != nil {
			failed = append(failed, failure)
			continue
		}

		if err := use(item); err != nil {
			return err
		}
	}
}
