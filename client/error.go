package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An Error is what a call failed with, and what to do next. Its code is that
// of the status, so status.Code works on it.
type Error struct {
	// Reason says what failed.
	Reason string
	// Advice says what to do next. It may be empty.
	Advice string

	cause *status.Status
}

// Error returns reason and advice in one line.
func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Reason
	}

	return e.Reason + ": " + e.Advice
}

// GRPCStatus returns the status that the call ended with.
func (e *Error) GRPCStatus() *status.Status { return e.cause }

// newCertificate tells how to get one.
const newCertificate = "get a new client configuration from somebody with the role os:admin ('config new'), or make one from the cluster's secrets ('gen config --output-types talosconfig --with-secrets')"

// explain turns the error of a call into an Error, unless it is none of grpc.
func (t *trace) explain(err error, asked []string) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}

	var known *Error
	if errors.As(err, &known) {
		return err
	}

	e := &Error{Reason: s.Message(), cause: s}

	switch s.Code() {
	case codes.Unavailable:
		t.explainUnavailable(e)
	case codes.Unauthenticated:
		// A node of ours says it already.
		if !strings.Contains(e.Reason, "client c") {
			e.Advice = newCertificate
		}
	case codes.Canceled:
		e.Reason = "cancelled"
	case codes.PermissionDenied:
		e.Reason = "not allowed: " + s.Message()
	case codes.Unimplemented:
		e.Advice = "the node does not serve this; compare the versions of client and node with 'version'"
	case codes.DeadlineExceeded:
		e.Reason = "no answer in time"

		if len(asked) > 0 {
			e.Reason += " from " + strings.Join(asked, ", ")
		}

		e.Advice = "check that the nodes are up and reachable, or give more time"
	default:
		e.Reason = fmt.Sprintf("%s (%s)", s.Message(), s.Code())
	}

	return e
}

// explainUnavailable tells why no endpoint could be used, or leaves the error
// as it is if one was: then it comes from there.
func (t *trace) explainUnavailable(e *Error) {
	failures := t.failures()
	if len(failures) == 0 {
		e.Reason, e.Advice = explainTarget(e.Reason)
		return
	}

	reasons := make([]string, 0, len(failures))

	for _, f := range failures {
		reason, advice := t.explainFailure(f.err)
		reasons = append(reasons, fmt.Sprintf("%s: %s", f.address, reason))

		// The first endpoint is the one that was meant; what another one
		// knows better than "unreachable" counts more.
		if e.Advice == "" || e.Advice == unreachable {
			e.Advice = advice
		}
	}

	e.Reason = "no endpoint can be used: " + strings.Join(reasons, "; ")
}

// explainTarget tells a node that cannot be reached from something on a node
// that does not answer it, of which the node says everything itself.
func explainTarget(reason string) (what, advice string) {
	cause := withoutFrames(reason)
	if cause == reason {
		return reason, ""
	}

	return "out of reach: " + cause, "check that the node is up, and that the endpoint can reach it"
}

// frames are what transports put around the cause of a failed connection.
var frames = regexp.MustCompile(`(max retries exhausted: )?(failed after \d+ attempts: )?(rpc error: code = \w+ desc = )?(connection error: desc = )?("transport: (Error|authentication handshake failed)[^:]*: )?`)

// withoutFrames returns the cause alone, as far as it can be told.
func withoutFrames(reason string) string {
	frame := frames.FindStringIndex(reason)
	if frame == nil || frame[0] != 0 || frame[1] == 0 {
		return reason
	}

	return strings.TrimSuffix(reason[frame[1]:], `"`)
}

// A refusal is the end of a connection between the handshake and the first word
// of the node.
type refusal struct {
	cause error
}

func (r *refusal) Error() string { return "refused by the node: " + r.cause.Error() }

func (r *refusal) Unwrap() error { return r.cause }

const unreachable = "check that the node is up and that its address and port can be reached from here"

// explainFailure tells why one connection was not made.
func (t *trace) explainFailure(err error) (reason, advice string) {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		refused   *refusal
	)

	switch text := err.Error(); {
	case errors.Is(err, errFingerprint):
		return text, "if the node was installed anew, read its fingerprint from its console again; otherwise this is another machine"
	case errors.As(err, &authority):
		return "the node's certificate is signed by an unknown authority",
			"the talosconfig belongs to another cluster, or the node is in maintenance mode: choose the context with --context, or add --insecure for a node without configuration"
	case errors.As(err, &name):
		// Names are compared before signatures, but matter less.
		if _, err := name.Certificate.Verify(x509.VerifyOptions{Roots: t.config.RootCAs}); errors.As(err, &authority) {
			return t.explainFailure(err)
		}

		return name.Error(), "use an endpoint that the certificate names, or add this one to machine.certSANs"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return invalid.Error(), "check the clock here and on the node; nodes renew their certificates by themselves"
	case errors.As(err, &record):
		return "what answers does not speak TLS", "check address and port of the endpoint"
	case errors.As(err, &refused):
		return t.explainRefusal(text)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection was turned away",
			"the node may be starting, have too many connections from here, or not allow this computer's address: try again, or ask for its API access rule"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer", unreachable
	default:
		return shortest(err).Error(), unreachable
	}
}

// explainRefusal tells why a node did not accept the caller. What it said about
// that may have been lost, since it closes the connection at once.
func (t *trace) explainRefusal(text string) (reason, advice string) {
	_, alert, said := strings.Cut(text, "remote error: tls: ")

	switch {
	case t.insecure:
		return "the node asks for a client certificate", "it has a configuration already: leave --insecure out"
	case len(t.config.Certificates) == 0:
		return "the node asks for a client certificate", "the client configuration holds none: " + newCertificate
	}

	leaf := t.config.Certificates[0].Leaf

	switch now := time.Now(); {
	case leaf != nil && now.After(leaf.NotAfter):
		return fmt.Sprintf("the client certificate%s expired on %s", inContext(t.context), leaf.NotAfter.Format(time.DateTime)), newCertificate
	case leaf != nil && now.Before(leaf.NotBefore):
		return fmt.Sprintf("the client certificate%s is valid from %s on", inContext(t.context), leaf.NotBefore.Format(time.DateTime)),
			"check the clock of this computer"
	case strings.Contains(alert, "expired certificate"):
		return "the node takes the client certificate for expired", "check the clock of the node"
	}

	if !said {
		alert = "it closed the connection"
	}

	return fmt.Sprintf("the node does not accept the client certificate%s (%s)", inContext(t.context), alert),
		"the talosconfig belongs to another cluster, or the machine CA was replaced: choose the context with --context, or " + newCertificate
}

// shortest returns the innermost error, which says most in the fewest words.
func shortest(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || inner.Error() == "" {
			return err
		}

		err = inner
	}
}
