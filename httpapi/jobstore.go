package httpapi

import (
	"context"
	"encoding/json"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/jobs"
)

// JobStore keeps the jobs of callers who do not wait on the line; *jobs.Store is
// one. A job of another owner does not exist: CodeNotFound.
type JobStore interface {
	// Reserve takes a place in the queue before a body is read. CodeBusy where
	// there is none, or where the owner has so many jobs waiting.
	ReserveUpTo(owner jobs.Owner, share int) (*jobs.Reservation, error)
	// Replay gives the job that has this idempotency key, or nil.
	Replay(ctx context.Context, owner jobs.Owner, key string, digest [32]byte) (*jobs.Job, error)
	// Peek tells how a job stands, without its result but with its size.
	Peek(ctx context.Context, owner jobs.Owner, id string) (jobs.Job, error)
	// Shown also gives the result, as JSON.
	Shown(ctx context.Context, owner jobs.Owner, id string) (jobs.Job, json.RawMessage, error)
	// Wait is Peek that first waits for the end of the job or of ctx, whose end is
	// no error.
	Wait(ctx context.Context, owner jobs.Owner, id string) (jobs.Job, error)
	Cancel(ctx context.Context, owner jobs.Owner, id string) (jobs.Job, error)
	List(ctx context.Context, owner jobs.Owner, o jobs.ListOptions) (list []jobs.Job, next string, err error)
	Events(ctx context.Context, owner jobs.Owner, id string) (*events.Log, error)
	// Close lets running jobs finish until ctx is done, and then kills them.
	Close(ctx context.Context) error
}

var _ JobStore = (*jobs.Store)(nil)
