package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is what one process takes.
type process struct {
	name string
	pid  int
	// pss counts a page that n processes share as 1/n of it, in bytes.
	pss, anonymous uint64
	cpu            time.Duration
}

// tick is the unit of processor time in /proc, on every platform of ours.
const tick = 10 * time.Millisecond

// processes finds a node's own processes by its first: that one and those below
// it which run the same program, by the name they were started by.
func processes(init int) (map[string]process, error) {
	own, err := os.Stat(fmt.Sprintf("/proc/%d/exe", init))
	if err != nil {
		return nil, fmt.Errorf("look at the node's first process: %w", err)
	}
	children, err := childrenOf(init)
	if err != nil {
		return nil, err
	}
	found := map[string]process{}
	for _, pid := range append(children, init) {
		program, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil || !os.SameFile(own, program) {
			continue
		}
		p, err := look(pid)
		if err != nil {
			return nil, err
		}
		if pid == init {
			p.name = "machined"
		}
		found[p.name] = p
	}
	return found, nil
}

// childrenOf lists the children of all threads of a process.
func childrenOf(parent int) ([]int, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var out []int
	for _, path := range paths {
		fields, err := stat(path)
		if err != nil || fields[1] != strconv.Itoa(parent) {
			continue // it may have ended meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, fmt.Errorf("list processes: %w", err)
		}
		out = append(out, pid)
	}
	return out, nil
}

// stat reads the fields of a stat file after the command, from the state on.
func stat(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return nil, errors.New("parse stat: too few fields")
	}
	return fields, nil
}

func look(pid int) (process, error) {
	p := process{pid: pid}
	folder := fmt.Sprintf("/proc/%d/", pid)
	command, err := os.ReadFile(folder + "cmdline")
	if err != nil {
		return process{}, fmt.Errorf("read command: %w", err)
	}
	first, _, _ := bytes.Cut(command, []byte{0})
	p.name = filepath.Base(string(first))
	fields, err := stat(folder + "stat")
	if err != nil {
		return process{}, fmt.Errorf("read times: %w", err)
	}
	for _, field := range fields[11:13] { // utime and stime
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return process{}, fmt.Errorf("read times: %w", err)
		}
		p.cpu += time.Duration(ticks) * tick
	}
	rollup, err := os.ReadFile(folder + "smaps_rollup")
	if err != nil {
		return process{}, fmt.Errorf("read memory: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(rollup)); lines.Scan(); {
		var kilobytes uint64
		key, rest, _ := strings.Cut(lines.Text(), ":")
		if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
			continue
		}
		switch key {
		case "Pss":
			p.pss = kilobytes << 10
		case "Anonymous":
			p.anonymous = kilobytes << 10
		}
	}
	return p, nil
}
