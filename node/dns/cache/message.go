package cache

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Parts of a DNS message (RFC 1035, 4.1).
const (
	headerSize   = 12
	typeA        = 1
	typeSOA      = 6
	typeAAAA     = 28
	typeOPT      = 41
	classIN      = 1
	rcodeSuccess = 0
	rcodeServer  = 2
	rcodeName    = 3
	rcodeRefused = 5

	flagResponse   = 1 << 15
	flagTruncated  = 1 << 9
	flagWanted     = 1 << 8 // recursion desired
	flagAvailable  = 1 << 7 // recursion available
	flagCheckingOf = 1 << 4 // checking disabled
	maskOpcode     = 0xf << 11
	maskRcode      = 0xf
)

var errMessage = errors.New("not a DNS message")

// question is what a query asks, and what its answer must repeat.
type question struct {
	name        string // lower case, without the dot at the end
	kind, class uint16
	// end is the offset behind the question.
	end int
}

// query is a message with one question.
type query struct {
	question
	id, flags uint16
	// size is the largest answer that the client takes over UDP.
	size int
	// signed says that the client wants DNSSEC records.
	signed bool
}

// name reads a name and gives the offset behind it.
func name(m []byte, at int) (string, int, error) {
	var labels []string
	end, jumps, length := 0, 0, 0
	for {
		if at >= len(m) {
			return "", 0, errMessage
		}
		n := int(m[at])
		switch {
		case n == 0:
			if end == 0 {
				end = at + 1
			}
			return strings.ToLower(strings.Join(labels, ".")), end, nil
		case n&0xc0 == 0xc0:
			if at+1 >= len(m) || jumps > 32 {
				return "", 0, errMessage
			}
			if end == 0 {
				end = at + 2
			}
			at = (n&0x3f)<<8 | int(m[at+1])
			jumps++
		case n&0xc0 != 0 || at+1+n > len(m) || length+n+1 > 255:
			return "", 0, errMessage
		default:
			labels = append(labels, string(m[at+1:at+1+n]))
			length += n + 1
			at += 1 + n
		}
	}
}

func readQuestion(m []byte) (question, error) {
	if len(m) < headerSize || binary.BigEndian.Uint16(m[4:]) != 1 {
		return question{}, errMessage
	}
	text, at, err := name(m, headerSize)
	if err != nil || at+4 > len(m) {
		return question{}, errMessage
	}
	return question{name: text, kind: binary.BigEndian.Uint16(m[at:]), class: binary.BigEndian.Uint16(m[at+2:]), end: at + 4}, nil
}

// readQuery reads a query; only plain ones with one question are for a resolver.
func readQuery(m []byte) (query, error) {
	asked, err := readQuestion(m)
	if err != nil {
		return query{}, err
	}
	q := query{question: asked, id: binary.BigEndian.Uint16(m), flags: binary.BigEndian.Uint16(m[2:]), size: 512}
	if q.flags&(flagResponse|maskOpcode) != 0 {
		return query{}, errMessage
	}
	err = eachRecord(m, asked.end, func(r record) {
		if r.kind == typeOPT {
			q.size = max(int(r.class), 512)
			q.signed = r.ttl&(1<<15) != 0
		}
	})
	return q, err
}

// record is a resource record and where it stands.
type record struct {
	kind, class uint16
	ttl         uint32
	at          int // of the TTL
	data        []byte
}

// eachRecord walks all records behind the questions.
func eachRecord(m []byte, at int, fn func(record)) error {
	count := int(binary.BigEndian.Uint16(m[6:])) + int(binary.BigEndian.Uint16(m[8:])) + int(binary.BigEndian.Uint16(m[10:]))
	for range count {
		_, next, err := name(m, at)
		if err != nil || next+10 > len(m) {
			return errMessage
		}
		length := int(binary.BigEndian.Uint16(m[next+8:]))
		if next+10+length > len(m) {
			return errMessage
		}
		fn(record{
			kind: binary.BigEndian.Uint16(m[next:]), class: binary.BigEndian.Uint16(m[next+2:]),
			ttl: binary.BigEndian.Uint32(m[next+4:]), at: next + 4, data: m[next+10 : next+10+length],
		})
		at = next + 10 + length
	}
	return nil
}

// reply makes an answer without records.
func reply(q query, asked []byte, rcode uint16) []byte {
	m := make([]byte, headerSize, headerSize+q.end)
	binary.BigEndian.PutUint16(m, q.id)
	binary.BigEndian.PutUint16(m[2:], flagResponse|flagAvailable|q.flags&flagWanted|rcode)
	binary.BigEndian.PutUint16(m[4:], 1)
	return append(m, asked[headerSize:q.end]...)
}
