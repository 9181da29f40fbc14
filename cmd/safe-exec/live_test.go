package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestARunDoesNotWaitForWhoReadsItsOutput(t *testing.T) {
	read, written := io.Pipe()
	p := newLivePrinter(stdio{out: written, err: io.Discard})
	for range 1000 { // nobody reads yet: one that waited would stop here
		p.hear(policy.Event{Kind: policy.EventStdout, Data: []byte("line\n")})
	}
	got := make(chan []byte)
	go func() {
		text, _ := io.ReadAll(read)
		got <- text
	}()
	p.finish()
	assert.NoError(t, written.Close())
	text := <-got
	assert.True(t, strings.Repeat("line\n", 1000) == string(text), "%d bytes, or others", len(text))
}

func TestOutputThatCannotBeWrittenIsOurFailure(t *testing.T) {
	read, written := io.Pipe()
	assert.NoError(t, read.CloseWithError(errors.New("no space")))
	var errs bytes.Buffer
	std := stdio{out: written, err: &errs}
	p := newLivePrinter(std)
	p.hear(policy.Event{Kind: policy.EventStdout, Data: []byte("a")})
	p.hear(policy.Event{Kind: policy.EventStderr, Data: []byte("b\n")})
	p.finish()
	assert.Equal(t, exitOurs, p.verdict(std, &policy.Result{Status: policy.Succeeded}))
	assert.Equal(t, "b\nsafe-exec: no space\n", errs.String())
}
