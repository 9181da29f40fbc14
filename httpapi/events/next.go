package events

import (
	"context"
	"encoding/json"
	"io"
	"slices"
)

// Done is the id of the event done, or none while it is not there.
func (l *Log) Done() ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over || l.broken {
		return ID{}
	}
	return ID{l.attempt, l.n}
}

// Ended says whether the last event is there, and then how many bytes the log holds.
func (l *Log) Ended() (size int, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		return 0, false
	}
	for _, e := range l.entries {
		size += len(e.text) + len(e.data)
	}
	return size, true
}

// Next gives events after an id, at least one: it waits for it. It gives no more at
// once than batch bytes and an event, but for a rebuilt log. After an id
// that is not of this log all of them are. It fails with io.EOF after the last event, with io.ErrUnexpectedEOF where the log was broken
// off, and with the context's error.
func (l *Log) Next(ctx context.Context, after ID) ([]Event, error) {
	for {
		l.mu.Lock()
		found := l.after(after)
		over, broken := l.over, l.broken
		if l.changed == nil && !over {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		switch {
		case len(found) > 0:
			return found, nil
		case broken:
			return nil, io.ErrUnexpectedEOF
		case over:
			return nil, io.EOF
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

// after needs mu.
func (l *Log) after(id ID) []Event {
	if id.Attempt != l.attempt || id.N > l.n {
		id.N = 0
	}
	first, _ := slices.BinarySearchFunc(l.entries, id.N+1, func(e entry, n int) int { return e.n - n })
	// Output was told in other pieces while it happened, so who was in the midst
	// of it goes on with the verdict.
	if l.rebuilt && first > 0 {
		if e := l.entries[first-1]; e.n != id.N || e.kind != Queued && e.kind != Started {
			first = max(first, len(l.entries)-2)
		}
	}
	var out []Event
	size := 0
	for _, e := range l.entries[min(first, len(l.entries)):] {
		data := e.data
		if e.text != nil {
			// A map of valid UTF-8 has a JSON form.
			data, _ = json.Marshal(map[string]string{"text": string(e.text)})
		}
		out = append(out, Event{ID{l.attempt, e.n}, e.kind, data})
		l.told = max(l.told, e.n)
		// Of a rebuilt log there is no going on in the midst of the output.
		if size += len(data); size >= batch && !l.rebuilt {
			break
		}
	}
	return out
}
