package schema

import (
	"fmt"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/explain"
)

// Reference is the reference page of one kind, in Markdown.
func Reference(k *document.Kind) string {
	var b strings.Builder

	title := k.Kind
	if k.IsMain() {
		title = "The main document"
	}

	fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, k.Doc)

	if !k.IsMain() {
		fmt.Fprintf(&b, "`apiVersion: %s`, `kind: %s`; since %s.", k.APIVersion, k.Kind, k.Since)

		if k.Named {
			b.WriteString(" A config may hold several, each with a name of its own.")
		}

		if len(k.ConflictsWith) > 0 {
			fmt.Fprintf(&b, " No document of these kinds may have the same name: %s.", strings.Join(without(k.ConflictsWith, k.Kind), ", "))
		}

		b.WriteString("\n\n")
	}

	fmt.Fprintf(&b, "```yaml\n%s```\n\n", withBreak(k.Example))
	b.WriteString("| key | form | meaning | change | in force |\n| --- | --- | --- | --- | --- |\n")
	rows(&b, document.SchemaOf(k.New()), nil, "")

	return b.String()
}

func without(list []string, word string) []string {
	var out []string

	for _, s := range list {
		if s != word {
			out = append(out, s)
		}
	}

	return out
}

func withBreak(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}

	return s + "\n"
}

func rows(b *strings.Builder, t *document.Type, above *document.Field, path string) {
	for t.Shape == document.ListShape || t.Shape == document.MapShape {
		if t.Shape == document.MapShape {
			path += ".*"
		} else {
			path += "[]"
		}

		t = t.Elem
	}

	for _, f := range t.Fields {
		f = f.Below(above)
		key := document.Join(path, f.Key)

		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", key, explain.Form(f.Type), meaning(f), change(f), inForce(f))

		rows(b, f.Type, f, key)
	}
}

func meaning(f *document.Field) string {
	text := strings.ReplaceAll(f.Doc, "|", "\\|")

	if len(f.Enum) > 0 {
		text += " One of `" + strings.Join(f.Enum, "`, `") + "`."
	}

	if f.Default != "" {
		text += " Default: " + f.Default + "."
	}

	if f.Since != "" {
		text += " Since " + f.Since + "."
	}

	if f.Secret {
		text += " Secret."
	}

	if f.Type.Shape == document.ListShape && (f.Merge.Replace || len(f.Merge.Keys) > 0) {
		text += " Patches: " + explain.Merge(f) + "."
	}

	return text
}

func change(f *document.Field) string {
	if f.Cut {
		return f.Change.String() + ", may cut the network"
	}

	return f.Change.String()
}

func inForce(f *document.Field) string {
	if f.Effect {
		return "yes"
	}

	return "not yet"
}
