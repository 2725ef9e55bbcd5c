package resources

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/util/jsonpath"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/cli/output"
)

// writer writes resources in one of the formats of `get`.
type writer struct {
	out    io.Writer
	format output.Format
	path   *jsonpath.JSONPath // for jsonPath

	mu      sync.Mutex // nodes are watched side by side
	written int
	header  []string
	widths  []int
}

const jsonPath output.Format = "jsonpath"

func newWriter(out io.Writer, format string) (*writer, error) {
	if template, ok := strings.CutPrefix(format, "jsonpath="); ok {
		path := jsonpath.New("output").AllowMissingKeys(true)
		if err := path.Parse(template); err != nil {
			return nil, fmt.Errorf("read --output: %w", err)
		}
		return &writer{out: out, format: jsonPath, path: path}, nil
	}
	kind, err := output.Parse(format, output.Table, output.JSON, output.YAML)
	if err != nil {
		return nil, fmt.Errorf("%w, or jsonpath=TEMPLATE", err)
	}
	return &writer{out: out, format: kind}, nil
}

// all writes what nodes have.
func (w *writer) all(answers []answer) error {
	if w.format != output.Table {
		for _, a := range answers {
			for _, o := range a.objects {
				if err := w.one(o); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if len(answers) == 0 {
		return nil
	}
	// Nodes of different versions may know different columns.
	var header []string
	var rows [][]string
	for _, a := range answers {
		own := columnsOf(a.definition, false)
		if header == nil {
			header = own
		}
		if !slices.Equal(header, own) {
			if err := output.WriteTable(w.out, header, rows); err != nil {
				return err
			}
			header, rows = own, nil
		}
		for _, o := range a.objects {
			row, err := rowOf(a.definition, o, false)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
	}
	return output.WriteTable(w.out, header, rows)
}

// one writes a resource for programs.
func (w *writer) one(o object) error {
	w.written++
	switch w.format {
	case output.JSON:
		return writeJSON(w.out, o)
	case jsonPath:
		value, err := plain(o)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := w.path.Execute(&text, value); err != nil {
			return fmt.Errorf("%s: %w", o.Metadata.ID, err)
		}
		text.WriteByte('\n')
		_, err = w.out.Write(text.Bytes())
		return err
	default:
		return writeYAML(w.out, o, w.written == 1)
	}
}

// eventSigns are the column "*" of a watch.
var eventSigns = map[resourcepb.EventType]string{
	resourcepb.EventType_CREATED: "+", resourcepb.EventType_UPDATED: "~", resourcepb.EventType_DESTROYED: "-",
}

// event writes a change of a resource.
func (w *writer) event(node string, definition Definition, event *resourcepb.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if event.GetEventType() == resourcepb.EventType_ERRORED {
		return errorEvent(node, event)
	}
	sign, known := eventSigns[event.GetEventType()]
	if !known {
		return nil // that all is shown which was there
	}
	o, err := objectOf(node, strings.ToLower(event.GetEventType().String()), event.GetResource())
	if err != nil {
		return err
	}
	if w.format != output.Table {
		return w.one(o)
	}
	row, err := rowOf(definition, o, true)
	if err != nil {
		return err
	}
	row[1] = sign
	header := columnsOf(definition, true)
	if !slices.Equal(w.header, header) {
		w.header, w.widths = header, firstWidths(header)
		if err := w.line(header); err != nil {
			return err
		}
	}
	return w.line(row)
}

// line writes a row at once; columns grow with what they have held.
func (w *writer) line(cells []string) error {
	var text strings.Builder
	for i, cell := range cells {
		w.widths[i] = max(w.widths[i], len(cell))
		fmt.Fprintf(&text, "%-*s", w.widths[i]+3, cell)
	}
	_, err := fmt.Fprintln(w.out, strings.TrimRight(text.String(), " "))
	return err
}

// firstWidths are those of columns of which nothing is known yet.
func firstWidths(header []string) []int {
	usual := map[string]int{"NODE": 15, "NAMESPACE": 9, "TYPE": 14, "ID": 24, "VERSION": 7}
	widths := make([]int, len(header))
	for i, name := range header {
		widths[i] = usual[name]
	}
	return widths
}

func columnsOf(d Definition, watch bool) []string {
	header := []string{"NODE", "NAMESPACE", "TYPE", "ID", "VERSION"}
	if watch {
		header = slices.Insert(header, 1, "*")
	}
	for _, c := range d.PrintColumns {
		header = append(header, strings.ToUpper(c.Name))
	}
	return header
}

func rowOf(d Definition, o object, watch bool) ([]string, error) {
	kind := d.DisplayType
	if kind == "" {
		kind = d.Type
	}
	row := []string{o.Node, o.Metadata.Namespace, kind, o.Metadata.ID, o.Metadata.Version}
	if watch {
		row = slices.Insert(row, 1, "")
	}
	spec, err := plain(o.Spec)
	if err != nil {
		return nil, err
	}
	for _, c := range d.PrintColumns {
		row = append(row, cell(spec, c.JSONPath))
	}
	return row, nil
}

// cell is what a path leads to. A definition that cannot be followed leaves its
// cell empty, as it must not hide the resource.
func cell(spec any, path string) string {
	parsed := jsonpath.New("column").AllowMissingKeys(true)
	if err := parsed.Parse(path); err != nil {
		return ""
	}
	results, err := parsed.FindResults(spec)
	if err != nil {
		return ""
	}
	var parts []string
	for _, group := range results {
		for _, value := range group {
			if !value.IsValid() || (value.CanInterface() && value.Interface() == nil) {
				continue
			}
			text, err := cellText(value.Interface())
			if err != nil {
				return ""
			}
			parts = append(parts, text)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	text, err := cellText(parts)
	if err != nil || len(parts) == 0 {
		return ""
	}
	return text
}

// cellText writes a value in one line: lists and maps as JSON.
func cellText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, "\n", " "), nil
	case []any, map[string]any, []string:
		var text bytes.Buffer
		if err := compactJSON(&text, v); err != nil {
			return "", err
		}
		return text.String(), nil
	}
	return fmt.Sprint(value), nil
}
