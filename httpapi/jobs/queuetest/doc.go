// Package queuetest is what any driver of jobs.Queue must pass. A driver's test
// calls Main in its TestMain and Run in a test.
package queuetest
