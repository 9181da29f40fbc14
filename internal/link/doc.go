// Package link is the protocol between the two processes of the daemon, over one
// Unix stream socket pair: the executor, root, that makes jails, and the broker,
// nobody in particular, that talks to callers.
//
// The broker is taken for hostile: it parses what callers send. What the
// executor reads is a binary codec with a bound for every kind of frame and
// every list, and whatever is malformed, out of bounds, out of order or of an
// unknown kind ends the connection with an error that says which; its runs are
// killed. The broker says who asks (policy.Caller), and the executor alone what
// that caller may (ServerConfig.Authorize): Privileged and the ceilings do not
// travel. What the broker reads was made by the executor and may be JSON.
//
//	executor                               broker
//	        ----- Hello{version, filter} ->
//	                                       installs the filter, tries the layers
//	        <---- Hello{version, report} --
//	looks at the process from outside
//	        ----- Config{JSON} ----------->
//	        <---- Ready ------------------
//	        <---- Execute{id, watch, request}, Check, Resolve, Describe, Cancel{id}
//	        ----- Event{id} ... Result{id} | Error{id} | Checked | Resolved | Description
//	        ----- Drain ------------------>
//	                                       takes no more requests, exits
//
// A frame is one byte of kind, four bytes of little-endian length, and the
// payload. A number is four or eight little-endian bytes, a bit one byte, a
// string four bytes of length and its bytes, a list a number and its items. Ids
// are chosen by the broker and rise from request to request. Each request gets
// one answer; that of Execute comes after all its events. Cancel of an id that
// has been answered is no error: the two may have crossed.
//
// It leaves out how the broker is started and confined (package broker), and
// what a request means.
package link
