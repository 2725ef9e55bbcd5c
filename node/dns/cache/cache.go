// Package cache is the name server of a node: it asks the resolvers that the
// network gave, remembers what they said, and knows the nodes of the cluster. A
// second address, which pods reach, serves the cluster's own name service.
//
// Messages are passed on as they are, so record types that come later work too.
package cache

import (
	"container/list"
	"encoding/binary"
	"sync"
	"time"
)

// Bounds of what is remembered.
const (
	mostAnswers = 10_000
	longest     = time.Hour
	// negative bounds how long a name stays away that has come to be.
	negative = 10 * time.Second
)

type key struct {
	name        string
	kind, class uint16
	signed      bool
	checking    bool
}

func keyOf(q query) key {
	return key{q.name, q.kind, q.class, q.signed, q.flags&flagCheckingOf != 0}
}

type answer struct {
	key     key
	message []byte
	ttls    []int // offsets of all TTLs
	since   time.Time
	until   time.Time
}

// memory remembers answers until their time is over; the ones used longest ago
// make room.
type memory struct {
	mu    sync.Mutex
	byKey map[key]*list.Element
	order list.List
}

// get gives a remembered answer for a query, with the time that it still has.
func (c *memory) get(q query, asked []byte, now time.Time) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[keyOf(q)]
	if !ok {
		return nil, false
	}
	a := element.Value.(*answer)
	if !now.Before(a.until) {
		c.order.Remove(element)
		delete(c.byKey, a.key)
		return nil, false
	}
	c.order.MoveToFront(element)
	m := append([]byte(nil), a.message...)
	binary.BigEndian.PutUint16(m, q.id)
	// The client may check that its spelling comes back.
	copy(m[headerSize:q.end], asked[headerSize:q.end])
	age := uint32(now.Sub(a.since) / time.Second)
	for _, at := range a.ttls {
		ttl := binary.BigEndian.Uint32(m[at:])
		binary.BigEndian.PutUint32(m[at:], ttl-min(age, ttl))
	}
	return m, true
}

// put remembers an answer as long as its records live.
func (c *memory) put(q query, m []byte, now time.Time) {
	flags := binary.BigEndian.Uint16(m[2:])
	rcode := flags & maskRcode
	if flags&flagTruncated != 0 || rcode != rcodeSuccess && rcode != rcodeName {
		return
	}
	a := &answer{key: keyOf(q), message: append([]byte(nil), m...), since: now}
	life, found := longest, false
	err := eachRecord(m, q.end, func(r record) {
		if r.kind == typeOPT {
			return
		}
		found = true
		a.ttls = append(a.ttls, r.at)
		life = min(life, time.Duration(r.ttl)*time.Second)
		if r.kind == typeSOA && len(r.data) >= 4 {
			life = min(life, time.Duration(binary.BigEndian.Uint32(r.data[len(r.data)-4:]))*time.Second)
		}
	})
	if err != nil {
		return
	}
	if rcode == rcodeName || binary.BigEndian.Uint16(m[6:]) == 0 {
		if !found {
			life = negative
		}
		life = min(life, negative)
	}
	if life <= 0 {
		return
	}
	a.until = now.Add(life)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = map[key]*list.Element{}
	}
	if old, ok := c.byKey[a.key]; ok {
		c.order.Remove(old)
	}
	c.byKey[a.key] = c.order.PushFront(a)
	for c.order.Len() > mostAnswers {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.byKey, last.Value.(*answer).key)
	}
}

// clear forgets everything: the resolvers are others now.
func (c *memory) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey = nil
	c.order.Init()
}
