package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// level says how near a finding comes to the vulnerable code.
type level int

const (
	moduleLevel  level = iota // the module is in use
	packageLevel              // the vulnerable package is
	symbolLevel               // the vulnerable function is reachable
)

// finding is one vulnerability at one place.
type finding struct {
	id, where, module, version, fixed, summary string
}

func (f finding) String() string {
	fixed := "not fixed"
	if f.fixed != "" {
		fixed = "fixed in " + f.fixed
	}
	return fmt.Sprintf("%s in %s: %s %s (%s): %s", f.id, f.where, f.module, f.version, fixed, f.summary)
}

// message is one of the JSON values that govulncheck prints.
type message struct {
	OSV *struct {
		ID       string
		Summary  string
		Affected []struct {
			Package struct{ Name string }
			Details struct {
				Imports []struct{ Path string }
			} `json:"ecosystem_specific"`
		}
	}
	Finding *struct {
		OSV   string
		Fixed string `json:"fixed_version"`
		Trace []struct{ Module, Version, Package, Function string }
	}
}

// parseFindings returns the findings that reach the wanted level, each once. An
// entry of the database that names no package concerns its whole module, so
// there the module alone is enough.
func parseFindings(out []byte, where string, want level) ([]finding, error) {
	type entry struct {
		summary string
		whole   map[string]bool // modules that are affected as a whole
	}
	entries := make(map[string]entry)
	var findings []finding
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m message
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return findings, nil
		} else if err != nil {
			return nil, fmt.Errorf("read govulncheck's answer: %w", err)
		}
		if m.OSV != nil {
			e := entry{summary: m.OSV.Summary, whole: make(map[string]bool)}
			for _, affected := range m.OSV.Affected {
				e.whole[affected.Package.Name] = len(affected.Details.Imports) == 0
			}
			entries[m.OSV.ID] = e
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 {
			continue
		}
		at := m.Finding.Trace[0]
		reached := moduleLevel
		switch {
		case at.Function != "":
			reached = symbolLevel
		case at.Package != "":
			reached = packageLevel
		}
		e := entries[m.Finding.OSV]
		if reached < want && !e.whole[at.Module] {
			continue
		}
		f := finding{m.Finding.OSV, where, at.Module, at.Version, m.Finding.Fixed, e.summary}
		if !slices.Contains(findings, f) {
			findings = append(findings, f)
		}
	}
}

// acceptance is a line of accepted.txt.
type acceptance struct {
	id, where, reason string
}

func (a acceptance) covers(f finding) bool {
	if prefix, ok := strings.CutSuffix(a.where, "*"); ok {
		return a.id == f.id && strings.HasPrefix(f.where, prefix)
	}
	return a.id == f.id && a.where == f.where
}

func parseAccepted(text string) ([]acceptance, error) {
	var list []acceptance
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) != 3 || strings.TrimSpace(fields[2]) == "" {
			return nil, fmt.Errorf("accepted.txt:%d: want an ID, a place and a reason, got %q", number, line)
		}
		list = append(list, acceptance{fields[0], fields[1], strings.TrimSpace(fields[2])})
	}
	return list, nil
}
