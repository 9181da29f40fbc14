package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// jobsActions are what can be done with jobs; all but list want an id.
var jobsActions = []struct {
	name, summary string
	run           func(*jobsFlags, context.Context, *client.Client, string, stdio) int
}{
	{"list", "list your jobs, the newest first", (*jobsFlags).list},
	{"get", "say how a job stands", (*jobsFlags).get},
	{"wait", "wait for a job's end and print its output, as run does", (*jobsFlags).wait},
	{"cancel", "cancel a job, waiting or running", (*jobsFlags).cancel},
	{"events", "print a job's output as it comes", (*jobsFlags).events},
}

type jobsFlags struct {
	*flags
	*remote
	*inputs
	asJSON        bool
	status, after string
	limit         int
	timeout       time.Duration
}

// Exit statuses of those that only ask about a job, and of those that end as the job
// did.
const (
	askedNotes = "0 done, 1 there is no such job, " + wrongUsage + ", " + ourFailure
	endedNotes = "0 succeeded, 1 the program failed or there is no such job, " + wrongUsage + ", 3 a limit, the policy or a caller ended it, " + ourFailure
	awaitNotes = "124 --timeout passed and the job goes on"
)

func jobsNotes(name string) string {
	switch name {
	case "wait":
		return "exit status: " + endedNotes + "; " + awaitNotes
	case "events":
		return "exit status: " + endedNotes
	}
	return "exit status: " + askedNotes
}

func newJobsFlags(name string) *jobsFlags {
	synopsis := "ID"
	if name == "list" {
		synopsis = ""
	}
	f := &jobsFlags{flags: newFlags("jobs "+name, synopsis, jobsNotes(name)), inputs: &inputs{}}
	f.BoolVar(&f.asJSON, "json", false, "print JSON")
	f.remote = f.flags.remote()
	switch name {
	case "list":
		f.StringVar(&f.status, "status", "", "only jobs whose status is `S`: queued, running, succeeded, failed, ...")
		f.IntVar(&f.limit, "limit", 0, "at most `N` (default: all)")
	case "wait":
		f.DurationVar(&f.timeout, "timeout", 0, "wait at most `D`, such as 30s; the job goes on (default: as long as it takes)")
		f.StringVar(&f.out, "out", "", "write the files that come back into `DIR`")
		f.BoolVar(&f.force, "force", false, "with --out: write over files that are there")
	case "events":
		f.StringVar(&f.after, "after", "", "begin behind the event `ID`, as --json prints it")
	}
	return f
}

func manageJobs(args []string, std stdio) int {
	if len(args) > 0 {
		switch args[0] {
		case "help", "-h", "-help", "--help":
			fmt.Fprintln(std.out, "usage: safe-exec jobs COMMAND [FLAGS] [ID]")
			for _, c := range jobsActions {
				fmt.Fprintf(std.out, "  %-8s %s\n", c.name, c.summary)
			}
			fmt.Fprintf(std.out, "exit status: %s\nof wait and events: %s; of wait: %s\n", askedNotes, endedNotes, awaitNotes)
			return exitOK
		}
		for _, c := range jobsActions {
			if c.name == args[0] {
				f := newJobsFlags(c.name)
				return f.start(args[1:], std, c.run)
			}
		}
		std.complain(fmt.Errorf("jobs: unknown command %q", args[0]))
	} else {
		std.complain(errors.New("jobs: there is no command"))
	}
	std.hint("safe-exec jobs --help lists the commands")
	return exitUsage
}

func (f *jobsFlags) start(args []string, std stdio, do func(*jobsFlags, context.Context, *client.Client, string, stdio) int) int {
	ids := 1
	if f.synopsis == "" {
		ids = 0
	}
	if status, done := f.parse(args, ids, std); done {
		return status
	}
	switch {
	case f.Changed("socket") && f.url != "":
		return f.wrong(std, "--socket and --url do not go together")
	case f.Changed("limit") && f.limit < 1:
		return f.wrong(std, "--limit %d: want a number above 0", f.limit)
	case f.Changed("timeout") && f.timeout <= 0:
		return f.wrong(std, "--timeout %s: want a duration above 0", f.timeout)
	}
	if f.NArg() < ids || ids == 1 && f.Arg(0) == "" {
		std.complain(fmt.Errorf("%s: which job? give its id", f.Name()))
		std.hint("safe-exec jobs list tells the ids")
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	daemon, err := f.connect(ctx)
	if err != nil {
		return explain(std, err)
	}
	defer daemon.Close()
	return do(f, ctx, daemon, f.Arg(0), std)
}

func (f *jobsFlags) list(ctx context.Context, daemon *client.Client, _ string, std stdio) int {
	list := []shownJob{}
	for after := ""; ; {
		page, next, err := daemon.List(ctx, client.ListOptions{Status: policy.Status(f.status), After: after})
		if err != nil {
			return explain(std, err)
		}
		for _, job := range page {
			list = append(list, shown(job))
		}
		if f.limit > 0 && len(list) >= f.limit {
			list = list[:f.limit]
			break
		}
		if next == "" || next == after { // one that stands still would go on for ever
			break
		}
		after = next
	}
	if f.asJSON {
		return printJSON(std, list, exitOK)
	}
	for _, job := range list {
		fmt.Fprintf(std.out, "%s  %-9s  %s\n", oneLine(job.JobID), job.Status, job.CreatedAt.UTC().Format(time.RFC3339))
	}
	return exitOK
}

func (f *jobsFlags) get(ctx context.Context, daemon *client.Client, id string, std stdio) int {
	job, err := daemon.Job(ctx, id, 0)
	return f.printJob(std, job, err)
}

func (f *jobsFlags) cancel(ctx context.Context, daemon *client.Client, id string, std stdio) int {
	job, err := daemon.Cancel(ctx, id)
	return f.printJob(std, job, err)
}

func (f *jobsFlags) printJob(std stdio, job client.Job, err error) int {
	switch {
	case err != nil:
		return explain(std, err)
	case f.asJSON:
		return printJSON(std, shown(job), exitOK)
	}
	fmt.Fprintln(std.out, job.Status)
	if job.Err != nil {
		explain(std, job.Err)
	}
	if job.Result != nil && job.Result.Termination.Hint != "" {
		std.hint(hintOf(job.Result.Termination))
	}
	return exitOK
}

func (f *jobsFlags) wait(ctx context.Context, daemon *client.Client, id string, std stdio) int {
	if err := f.lookOut(); err != nil {
		std.complain(err)
		return exitUsage
	}
	f.shown = f.asJSON
	waiting := ctx
	if f.Changed("timeout") {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	job, err := daemon.Wait(waiting, id)
	switch {
	case ctx.Err() == nil && waiting.Err() != nil:
		std.complain(fmt.Errorf("job %s has not finished within %s; it goes on", id, policy.Short(f.timeout)))
		return exitWaiting
	case err != nil:
		return followed(ctx, std, id, err)
	case f.asJSON && job.Err != nil:
		quiet := std
		quiet.err = io.Discard
		return printJSON(std, shown(job), explain(quiet, job.Err))
	case f.asJSON && job.Result == nil:
		return printJSON(std, shown(job), exitOurs)
	case job.Err != nil:
		return explain(std, job.Err)
	case job.Result == nil:
		std.complain(fmt.Errorf("job %s finished without a result", id))
		return exitOurs
	case f.asJSON:
		return f.bringBack(std, job.Result, printJSON(std, shown(job), exitStatus(job.Result)))
	}
	return f.bringBack(std, job.Result, printResult(std, job.Result))
}

// followed explains an error on the way to a job's end, an interruption too.
func followed(ctx context.Context, std stdio, id string, err error) int {
	if ctx.Err() != nil {
		std.complain(fmt.Errorf("interrupted; job %s goes on", id))
		return exitOurs
	}
	status := explain(std, err)
	var e *policy.Error
	if errors.As(err, &e) && e.Code == policy.CodeUnavailable {
		std.hint("a job survives its daemon: ask again when that is back")
	}
	return status
}

// shownEvent is an event as --json prints it, one in a line.
type shownEvent struct {
	ID    string          `json:"id"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

func (f *jobsFlags) events(ctx context.Context, daemon *client.Client, id string, std stdio) int {
	live := newLivePrinter(std)
	lines := json.NewEncoder(std.out)
	lines.SetEscapeHTML(false)
	var result *policy.Result
	err := daemon.Events(ctx, id, f.after, func(e client.Event) error {
		if e.Kind == "result" {
			result = new(policy.Result)
			if err := json.Unmarshal(e.Data, result); err != nil {
				return err
			}
		}
		if f.asJSON {
			return lines.Encode(shownEvent{e.ID, e.Kind, e.Data})
		}
		if e.Kind == "started" {
			live.attempt(e)
		}
		if heard, ok := e.Heard(); ok {
			live.hear(heard)
		}
		return nil
	})
	live.finish() // before anything is said of how it ended
	switch {
	case err != nil:
		return followed(ctx, std, id, err)
	case result == nil && f.after != "": // it lies before what was asked for
		return exitOK
	case result == nil:
		std.complain(fmt.Errorf("job %s finished without a result", id))
		return exitOurs
	case f.asJSON:
		return exitStatus(result)
	}
	status := live.verdict(std, result)
	noteFiles(std, result.Files, "safe-exec jobs wait --out DIR "+id+" writes them")
	return status
}

// shownJob is a job as --json prints it, which is as the API does.
type shownJob struct {
	JobID      string         `json:"job_id"`
	Status     policy.Status  `json:"status"`
	Attempt    int            `json:"attempt"`
	CreatedAt  time.Time      `json:"created_at,omitzero"`
	StartedAt  time.Time      `json:"started_at,omitzero"`
	FinishedAt time.Time      `json:"finished_at,omitzero"`
	ExpiresAt  time.Time      `json:"expires_at,omitzero"`
	Result     *policy.Result `json:"result,omitempty"`
	Error      any            `json:"error,omitempty"` // a problem document
}

func shown(j client.Job) shownJob {
	out := shownJob{
		JobID: j.ID, Status: j.Status, Attempt: j.Attempt, CreatedAt: j.Created, StartedAt: j.Started, FinishedAt: j.Finished, ExpiresAt: j.Expires, Result: j.Result,
	}
	if j.Err != nil {
		out.Error = httpapi.ProblemOf(j.Err)
	}
	return out
}
