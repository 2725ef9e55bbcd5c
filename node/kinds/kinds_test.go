package kinds_test

import (
	"bufio"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/node/kinds"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// Kinds of the contract that no noun defines, with the reason.
var missing = map[string]string{
	"deviceconfigspecs.net.talos.dev": "holds the old form of network config, which is merged before anything reads it",
}

// fact is a kind as testdata/resources.txt tells of it.
type fact struct {
	Display, Namespace string
	Sensitive          bool
	Aliases            []string
	Columns            []resource.Column
	fields             []*factField
}

type factField struct {
	name, typ, num string
	inline         bool
	sub            []*factField
}

var fieldLine = regexp.MustCompile(`^( +)(\S+) : (.*?)(?: @(\d+))?$`)

func facts(t *testing.T) map[string]*fact {
	t.Helper()
	f, err := os.Open("testdata/resources.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]*fact{}
	var cur *fact
	var open []*[]*factField
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "namespaces:"), line == "":
		case !strings.HasPrefix(line, " "):
			p := strings.Split(line, " | ")
			cur = &fact{Display: p[1], Namespace: p[2], Sensitive: p[3] == "sensitive", Aliases: strings.Fields(p[4])}
			all[p[0]] = cur
			open = []*[]*factField{&cur.fields}
		case strings.HasPrefix(line, "  column "):
			name, path, _ := strings.Cut(strings.TrimPrefix(line, "  column "), " = ")
			cur.Columns = append(cur.Columns, resource.Column{Name: name, Path: path})
		default:
			m := fieldLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("testdata: %q", line)
			}
			name, opts, _ := strings.Cut(m[2], ",")
			field := &factField{name: name, typ: m[3], num: m[4], inline: strings.Contains(opts, "inline")}
			depth := len(m[1]) / 2
			parent := open[depth-1]
			*parent = append(*parent, field)
			open = append(open[:depth], &field.sub)
		}
	}
	return all
}

func all() []resource.AnyKind {
	return append(kinds.All(), resource.Definitions, resource.Namespaces)
}

func TestKinds_AreTheOnesOfTheContract(t *testing.T) {
	facts := facts(t)
	for _, k := range all() {
		d := k.Definition()
		id := strings.ToLower(d.Type)
		want := facts[id]
		if want == nil {
			t.Errorf("%s is not in the contract", d.Type)
			continue
		}
		got := &fact{Display: d.DisplayType, Namespace: d.Namespace, Sensitive: d.Sensitive, Aliases: d.AllAliases, Columns: d.Columns}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(fact{}), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "fields" }, cmp.Ignore())); diff != "" {
			t.Errorf("%s (-contract +ours):\n%s", d.Type, diff)
		}
		plural, _, _ := strings.Cut(d.Type, ".")
		if !strings.HasPrefix(plural, strings.TrimRight(d.DisplayType, "y")) {
			t.Errorf("%s: capitals differ from %s", d.Type, d.DisplayType)
		}
		delete(facts, id)
	}
	for id := range facts {
		if missing[id] == "" {
			t.Errorf("%s has no kind", id)
		}
	}
}

// Fields that differ from the contract on purpose.
var exceptions = map[string]string{
	"match":     "an expression is kept as its text: its checked form means nothing to clients",
	"diskMatch": "as match",
}

func TestKinds_FieldsAreTheOnesOfTheContract(t *testing.T) {
	facts := facts(t)
	for _, k := range kinds.All() {
		d := k.Definition()
		want := facts[strings.ToLower(d.Type)]
		if want == nil || len(want.fields) == 0 || want.fields[0].name == "-" {
			continue // its YAML is no mapping
		}
		compareFields(t, d.DisplayType, specType(t, d), want.fields)
	}
}

// specType gives the type of a kind's spec.
func specType(t *testing.T, d *resource.Definition) reflect.Type {
	t.Helper()
	v, err := d.StoreType().Decode(store.Encoded{})
	if err != nil {
		t.Fatalf("%s: %v", d.Type, err)
	}
	return reflect.TypeOf(v).Elem()
}

func compareFields(t *testing.T, path string, typ reflect.Type, want []*factField) {
	t.Helper()
	for typ.Kind() != reflect.Struct {
		typ = typ.Elem()
	}
	type numbered struct{ Name, Num string }
	var gotNames, wantNames []numbered
	byName := map[string]reflect.StructField{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		gotNames = append(gotNames, numbered{name, f.Tag.Get("protobuf")})
		byName[name] = f
	}
	for _, w := range want {
		num := w.num
		if exceptions[w.name] != "" && w.typ == "cel.Expression" {
			num = ""
		}
		wantNames = append(wantNames, numbered{w.name, num})
	}
	sort := func(a, b numbered) int { return strings.Compare(a.Name+a.Num, b.Name+b.Num) }
	slices.SortFunc(gotNames, sort)
	slices.SortFunc(wantNames, sort)
	if diff := cmp.Diff(wantNames, gotNames); diff != "" {
		t.Errorf("%s (-contract +ours):\n%s", path, diff)
		return
	}
	for _, w := range want {
		if len(w.sub) > 0 && w.sub[0].name != "-" {
			compareFields(t, path+"."+w.name, byName[w.name].Type, w.sub)
		}
		if w.num != "" {
			if _, err := strconv.Atoi(w.num); err != nil {
				t.Errorf("%s.%s: number %q", path, w.name, w.num)
			}
		}
	}
}
