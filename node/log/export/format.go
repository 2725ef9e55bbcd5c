package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// Keys that receivers of the known format look for.
const (
	keyMessage = "msg"
	keyLevel   = "talos-level"
	keyService = "talos-service"
	keyTime    = "talos-time"
)

// An Entry is one line on its way.
type Entry struct {
	At      time.Time
	Service string
	// Text is the line as its program wrote it.
	Text string
	// Fields, if not nil, are sent as they are, beside the time.
	Fields map[string]any
}

// size is about what an entry takes, in bytes.
func (e Entry) size() int { return 128 + len(e.Text) + 64*len(e.Fields) }

// encode writes an entry as a line of JSON.
func (e Entry) encode(tags map[string]string) []byte {
	out := map[string]any{}
	for key, value := range e.fields() {
		out[key] = value
	}
	for key, value := range tags {
		out[key] = value
	}
	if _, ok := out[keyTime]; !ok {
		out[keyTime] = e.At.UTC().Format(time.RFC3339Nano)
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		// Only what is not JSON fails; text always is.
		line.Reset()
		_ = encoder.Encode(map[string]any{keyMessage: "a line could not be encoded: " + err.Error(), keyService: e.Service})
	}
	return line.Bytes()
}

func (e Entry) fields() map[string]any {
	if e.Fields != nil {
		return e.Fields
	}
	out := map[string]any{keyMessage: e.Text, keyLevel: level(e.Text), keyService: e.Service}
	if !strings.HasPrefix(e.Text, "{") {
		return out
	}
	var own map[string]any
	if json.Unmarshal([]byte(e.Text), &own) != nil {
		return out
	}
	// What a program says in JSON stays in its own fields.
	for key, value := range own {
		out[key] = value
	}
	if _, ok := own[keyMessage]; !ok {
		delete(out, keyMessage)
	}
	for _, key := range []string{"level", "severity", "lvl"} {
		if text, ok := own[key].(string); ok {
			out[keyLevel] = levelName(text)
		}
	}
	out[keyService] = e.Service
	return out
}

// level finds how grave a line is: in the form level=WARN, or in the first letter
// of the form that Kubernetes' programs write.
func level(text string) string {
	if _, after, ok := strings.Cut(text, "level="); ok {
		word, _, _ := strings.Cut(after, " ")
		return levelName(strings.Trim(word, `"`))
	}
	if len(text) > 5 && strings.Trim(text[1:5], "0123456789") == "" {
		switch text[0] {
		case 'W':
			return "warn"
		case 'E', 'F':
			return "error"
		}
	}
	return "info"
}

func levelName(word string) string {
	switch word := strings.ToLower(word); word {
	case "warning":
		return "warn"
	case "err", "fatal", "panic":
		return "error"
	case "debug", "info", "warn", "error":
		return word
	}
	return "info"
}
