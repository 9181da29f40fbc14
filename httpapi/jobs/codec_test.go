package jobs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/events"
	"safe-exec/internal/filled"
	"safe-exec/policy"
)

func TestWhatIsNoVerdictIsRefused(t *testing.T) {
	for _, row := range []struct {
		name, body string
		ok         bool
	}{
		{"a result", `{"result":{"status":"succeeded"},"last":"1.5"}`, true},
		{"no text", ``, false},
		{"nothing in it", `{}`, false},
		{"result and error", `{"result":{"status":"succeeded"},"error":{"code":"internal","message":""}}`, false},
		{"another status than the job's", `{"result":{"status":"failed"}}`, false},
		{"an error where the job succeeded", `{"error":{"code":"internal","message":""}}`, false},
		{"a field that it does not have", `{"result":{"status":"succeeded"},"more":1}`, false},
		{"a result's field that it does not have", `{"result":{"status":"succeeded","more":1}}`, false},
		{"text behind it", `{"result":{"status":"succeeded"}} 1`, false},
		{"an event that is none", `{"result":{"status":"succeeded"},"last":"x"}`, false},
		{"another type", `[1]`, false},
	} {
		_, _, err := decodeVerdict(policy.Succeeded, []byte(row.body))
		assert.Equal(t, row.ok, err == nil, "%s: %v", row.name, err)
	}
}

func TestEveryReasonWithoutARunHasAWholeVerdict(t *testing.T) {
	for reason := range unrun {
		v := WithoutRun("job_x", reason, 2)
		got, last, err := decodeVerdict(v.Status, v.Body)
		require.NoError(t, err)
		assert.Zero(t, last)
		assert.Equal(t, reason, got.Result.Termination.Reason)
		assert.NotEmpty(t, got.Result.Termination.Hint)
		assert.Equal(t, "job_x", got.Result.ExecutionID)
	}
}

func TestNoFieldOfAnErrorIsLostInAVerdict(t *testing.T) {
	failed := filled.Value[policy.Error]()
	v, err := encodeVerdict(nil, &failed, events.ID{Attempt: 1, N: 3})
	require.NoError(t, err)
	job, err := jobOf(Record{ID: "job_x", Status: v.Status, Verdict: v.Body})
	require.NoError(t, err)
	assert.Equal(t, &failed, job.Err)
	shown, err := showVerdict(v.Status, v.Body)
	require.NoError(t, err)
	assert.Equal(t, &failed, shown.Error)
}

func FuzzStoredVerdict(f *testing.F) {
	v, err := encodeVerdict(&policy.Result{Status: policy.Succeeded, Stdout: "x"}, nil, events.ID{Attempt: 1, N: 3})
	require.NoError(f, err)
	f.Add(v.Body)
	f.Add([]byte(`{"error":{"code":"setup_error","message":"m","value":[1]},"last":"2.9"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, status := range []policy.Status{policy.Succeeded, policy.Errored} {
			job, err := jobOf(Record{ID: "job_x", Status: status, Verdict: body})
			if err != nil {
				if body != nil {
					require.ErrorContains(t, err, "job_x", "an error names its row")
				}
				continue
			}
			if body != nil {
				require.True(t, (job.Result == nil) != (job.Err == nil))
			}
		}
	})
}

func FuzzStoredRequest(f *testing.F) {
	body, err := encodeRequest(policy.Request{Code: "x", Input: policy.Input{Env: map[string]string{"a": "b"}}})
	require.NoError(f, err)
	f.Add(body)
	f.Add([]byte(`{"Watch":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decodeRequest(body)
		if err != nil {
			return
		}
		require.Nil(t, r.Watch)
		again, err := encodeRequest(r)
		require.NoError(t, err)
		same, err := decodeRequest(again)
		require.NoError(t, err)
		require.Equal(t, r, same)
	})
}
