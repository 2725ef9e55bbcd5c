package resources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
)

// object is a resource as it is written for programs.
type object struct {
	Node     string   `json:"node" yaml:"node"`
	Event    string   `json:"event,omitempty" yaml:"event,omitempty"`
	Metadata metadata `json:"metadata" yaml:"metadata"`
	Spec     any      `json:"spec" yaml:"spec"`
}

type metadata struct {
	Namespace   string            `json:"namespace" yaml:"namespace"`
	Type        string            `json:"type" yaml:"type"`
	ID          string            `json:"id" yaml:"id"`
	Version     string            `json:"version" yaml:"version"`
	Owner       string            `json:"owner" yaml:"owner"`
	Phase       string            `json:"phase" yaml:"phase"`
	Created     string            `json:"created" yaml:"created"`
	Updated     string            `json:"updated" yaml:"updated"`
	Labels      map[string]string `json:"labels,omitempty" yaml:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty" yaml:"annotations,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty" yaml:"finalizers,omitempty"`
}

func objectOf(node, event string, r *resourcepb.Resource) (object, error) {
	m := r.GetMetadata()
	spec, err := decodeSpec(m.GetType(), r.GetSpec().GetYamlSpec())
	if err != nil {
		return object{}, fmt.Errorf("read resource %s/%s: %w", m.GetType(), m.GetId(), err)
	}
	return object{Node: node, Event: event, Spec: spec, Metadata: metadata{
		Namespace: m.GetNamespace(), Type: m.GetType(), ID: m.GetId(), Version: m.GetVersion(), Owner: m.GetOwner(), Phase: m.GetPhase(),
		Created: m.GetCreated().AsTime().UTC().Format(time.RFC3339), Updated: m.GetUpdated().AsTime().UTC().Format(time.RFC3339),
		Labels: m.GetLabels(), Annotations: m.GetAnnotations(), Finalizers: m.GetFinalizers(),
	}}, nil
}

// decodeSpec reads a spec. That of a machine config is a text that holds all
// documents; older nodes send the documents themselves.
func decodeSpec(kind, text string) (any, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var first, second any
	err := decoder.Decode(&first)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	several := decoder.Decode(&second) == nil
	if _, isText := first.(string); !isText && (several || kind == machineConfigType) {
		return text, nil
	}
	return first, nil
}

// writeYAML writes a document, parted from the one before it.
func writeYAML(w io.Writer, value any, first bool) error {
	var text bytes.Buffer
	if !first {
		text.WriteString("---\n")
	}
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(4)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// writeJSON writes a value and a line break.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "    ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// plain turns what YAML gave into what JSON knows, for JSONPath.
func plain(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&out)
	return out, err
}

// compactJSON writes a value in one line.
func compactJSON(w *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	w.Truncate(w.Len() - 1)
	return nil
}
