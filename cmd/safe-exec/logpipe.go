package main

import (
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Bounds on a log that nobody reads.
const (
	logLines    = 1024            // that wait in memory
	logPatience = 2 * time.Second // for those that are left at the end
)

// logPipe is a writer that waits for nobody: a log whose reader stands still, with
// its pipe full, would else hold up everything that has a line to write. What finds
// no room is lost, and counted by a line of its own.
type logPipe struct {
	lines chan logLine
	lost  atomic.Int64
}

// logLine is a line, or the end of a flush.
type logLine struct {
	text    []byte
	flushed chan struct{}
}

// newLogPipe writes to w, each line at once. That its reader is gone must not end
// the process either: SIGPIPE, which writing to fd 2 then raises, is dropped.
func newLogPipe(w io.Writer) *logPipe {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &logPipe{lines: make(chan logLine, logLines)}
	go p.write(w)
	return p
}

func (p *logPipe) write(w io.Writer) {
	log := slog.New(slog.NewJSONHandler(w, nil))
	for line := range p.lines {
		if line.flushed != nil {
			close(line.flushed)
			continue
		}
		_, _ = w.Write(line.text) // there is nowhere to say that it failed
		if n := p.lost.Swap(0); n > 0 {
			log.Error("lines of the log were lost: nobody read it", "lines", n)
		}
	}
}

// Write takes a line, or counts it as lost.
func (p *logPipe) Write(line []byte) (int, error) {
	select {
	case p.lines <- logLine{text: append([]byte(nil), line...)}:
	default:
		p.lost.Add(1)
	}
	return len(line), nil
}

// flush waits until all that there is has been written, but not for ever.
func (p *logPipe) flush() {
	late := time.After(logPatience)
	end := logLine{flushed: make(chan struct{})}
	select {
	case p.lines <- end:
	case <-late:
		return
	}
	select {
	case <-end.flushed:
	case <-late:
	}
}
