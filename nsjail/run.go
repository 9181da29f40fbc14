package nsjail

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// Bounds on ending a jail. Killing takes about a millisecond; a process in an
// uninterruptible wait of the kernel can take longer, never for ever.
const killTimeout = 10 * time.Second

// promptEnd is how long a dying init is waited for before its leaf is killed too.
const promptEnd = 100 * time.Millisecond

// drainTimeout bounds the wait for pipes whose writers are all dead: a busy host takes
// its time to read them.
const drainTimeout = 10 * time.Second

// hearTimeout bounds the wait for who watches a run, who must not block.
const hearTimeout = 2 * time.Second

// run hands over the code and waits for the program's end. Where that was not
// its own doing, the jail is ended.
func (j *jail) run(ctx context.Context) (evidence, error) {
	j.out.start(j.spec.Limits, j.watch, func() { close(j.outputFlood) })
	e := evidence{spec: j.spec, heapLimit: j.runtime.heapLimit(j.spec.Limits)}
	exited := make(chan wire.Event, 1)
	go j.watchExit(exited)
	denialsBefore := j.notifier.Total()
	j.watch.denials(j.notifier, j.runner.syscallName)

	begin := time.Now()
	limit := time.NewTimer(time.Duration(j.spec.Limits.TimeoutMS) * time.Millisecond)
	defer limit.Stop()
	reply := make(chan error, 1)
	frame := jobOf(j.spec).Encode()
	sent := len(frame) <= inlineJob
	if sent {
		if err := wire.WriteFrame(j.job, wire.JobFrame, frame); err != nil {
			sent = false // the second try is explained like any other
		}
	}
	go func() { reply <- j.handOver(frame, sent, &e) }()

	var failure error
	replied := false
	for ended := false; !ended; {
		select {
		case err := <-reply:
			replied = true
			if err != nil {
				failure = err
			}
			// A refusal is the end, and so is a check's answer; a socket that
			// closed without a reply is explained by the exit that follows.
			ended = len(e.violations) > 0 || e.syntax != nil || e.checked || (err != nil && !errors.Is(err, errNoReply))
		case event, ok := <-exited:
			ended = true
			if ok {
				e.exited, e.status = true, syscall.WaitStatus(event.Status)
				e.freeBytes, e.freeInodes = event.FreeBytes, event.FreeInodes
			}
		case <-limit.C:
			e.deadline, ended = true, true
		case <-ctx.Done():
			e.cancelled, ended = true, true
		case <-j.outputFlood:
			e.outputFlood, ended = true, true
		case <-j.notifier.Exceeded():
			e.denialFlood, ended = true, true
		}
	}
	e.elapsed = time.Since(begin)
	if !e.exited {
		j.awaitInit()
	}
	for range exited { // closed by now: its reader must be done before the socket is
	}
	j.drain()
	if !replied { // its answer, if it gave one, or the end of the stream is there by now
		if err := <-reply; failure == nil {
			failure = err
		}
	}
	if !e.exited { // else all that it was refused is counted: a call is, before it is answered
		j.stopNotify()
		j.notified.Wait()
	}
	e.unanswered = errors.Is(failure, errNoReply)
	e.denials = j.notifier.Total() - denialsBefore
	e.outputBytes = j.out.total.Load()
	usage, err := j.leaf.Usage()
	if err != nil {
		return e, setupError("cgroup_usage", err)
	}
	e.usage = usage.Since(j.before)
	// The kernel ends a template's forks before the init that they go with.
	if !e.ended() && j.template != nil && j.template.jail.init.ended(time.Second) {
		return e, setupError("template", errTemplateDied)
	}
	if failure != nil && !errors.Is(failure, errNoReply) && !e.cancelled {
		return e, setupError("harness_reply", failure)
	}
	// Without an answer of the harness no user code ran. What the kernel did to
	// it meanwhile (memory, time, a crash of the parser) is the program's doing;
	// an orderly exit is ours.
	if failure != nil && e.exited && e.status.Exited() && !e.cancelled {
		return e, setupError("harness_reply", failure)
	}
	return e, nil
}

// ended says that it is known what ended the run.
func (e evidence) ended() bool {
	return e.exited || e.deadline || e.cancelled || e.outputFlood || e.denialFlood || e.checked || len(e.violations) > 0 || e.syntax != nil
}

// errNoReply means that the harness closed the job socket without an answer.
var errNoReply = errors.New("the harness gave no answer to the job")

// jobOf is what the harness is told of a spec.
func jobOf(s policy.Spec) wire.Job {
	l := s.Level
	job := wire.Job{
		CheckOnly: s.CheckOnly, Unrestricted: l.Unrestricted, Imports: l.Imports, BlockedImports: l.BlockedImports,
		BlockedNames: l.BlockedNames, ConstantNames: l.ConstantNames, Code: s.Code,
	}
	if s.CheckOnly {
		return job // nothing is laid out for a program that does not run
	}
	job.Stdin, job.Args, job.Env = s.Input.Stdin, s.Input.Args, s.Input.Env
	for _, file := range s.Input.Files {
		job.Files = append(job.Files, wire.File(file))
	}
	return job
}

// inlineJob is how large a job can be sent without a goroutine of its own, in
// bytes: it fits into the socket's buffer whether or not anybody reads. The harness
// then works while that goroutine is still being started.
const inlineJob = 32 << 10

// handOver sends the job, unless it was, and takes the harness's one answer.
func (j *jail) handOver(frame []byte, sent bool, e *evidence) error {
	if !sent {
		if err := wire.WriteFrame(j.job, wire.JobFrame, frame); err != nil {
			return errors.Join(errNoReply, err)
		}
	}
	kind, payload, err := wire.ReadFrame(j.job, wire.MaxReply)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrClosed) {
		return errors.Join(errNoReply, err) // it may be killed in the middle of one
	}
	if err != nil {
		return err
	}
	switch kind {
	case wire.Accepted, wire.Checked:
		if j.spec.CheckOnly != (kind == wire.Checked) {
			return wire.ErrMalformed
		}
		if j.spec.CheckOnly {
			e.checked = true
			e.imported, e.imports, err = wire.DecodeImports(payload)
			for i := range e.imports {
				e.imports[i] = printable(e.imports[i], wire.MaxImportBytes)
			}
			return err
		}
		j.watch.start()
		return nil
	case wire.Violations:
		list, err := wire.DecodeViolations(payload)
		e.violations = list
		return err
	case wire.SyntaxError:
		line, column, message, err := wire.DecodeSyntaxError(payload)
		e.syntax = &syntaxError{int(line), int(column), printable(message, maxSyntaxMessage)}
		return err
	case wire.Failed:
		return harnessFailed(payload)
	case wire.Ready, wire.Kept, wire.Blocked, wire.JobFrame: // no answers to a job
	}
	return wire.ErrMalformed
}

// maxSyntaxMessage bounds the parser's words, in bytes.
const maxSyntaxMessage = 1000

// printable bounds a text that was made from the user's program.
func printable(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// watchExit reports the payload's end and closes the channel; without a report
// the init is gone (killed by us, or by the kernel for memory).
func (j *jail) watchExit(exited chan<- wire.Event) {
	defer close(exited)
	event, fd, err := recvEvent(int(j.control.Fd()))
	if fd >= 0 {
		unix.Close(fd)
	}
	if err == nil && event.Kind == wire.EventExited {
		exited <- event
	}
}

// drain waits for what is left in the pipes. All writers are dead; the bound is
// for a descriptor that left the jail in a way we do not know.
func (j *jail) drain() {
	drained := make(chan struct{})
	go func() { j.out.wait(); close(drained) }()
	select {
	case <-drained:
	case <-time.After(drainTimeout):
		j.runner.log.Error("output pipe still open after the jail's end")
		j.out.close()
		<-drained
	}
}
