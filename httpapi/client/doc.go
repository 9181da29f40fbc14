// Package client speaks to the daemon over its socket and implements
// policy.Executor, so that a caller need not know whether a run happens in its
// own process or in the daemon.
//
// It gives the daemon's refusals back as the *policy.Error they were made
// from. It bounds what it reads, but otherwise trusts the daemon: whoever can
// replace the socket file can answer anything.
package client
