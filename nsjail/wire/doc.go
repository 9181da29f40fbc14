// Package wire holds the two protocols that cross a process border of a run.
// One reader, one writer on each end; an unexpected frame is an error and ends
// the run. Nothing here trusts a length it has not bounded.
//
// # Job socket: daemon and harness
//
// A stream socket pair, descriptor 3 of the payload. The harness is our code
// in the payload's process and speaks before any user text is there; once it
// has answered the job it closes the socket, so no channel but stdout and
// stderr outlives the first user byte.
//
//	daemon                                harness
//	                                      load steady filter
//	        <---- Ready{listener fd} ----
//	pidfd_getfd the listener
//	        ----- Kept ----------------->
//	                                      close the listener
//	        <---- Blocked ---------------
//	verify the posture from outside
//	        ----- Job ------------------->
//	                                      parse and check
//	        <---- Accepted | Violations | SyntaxError | Checked
//	                                      close the socket, run
//
// Checked is the answer to a job in mode check when nothing is refused; the
// harness then runs nothing of the program and exits. In mode run, what the program
// gets beside its text is in its place before any of the text is parsed.
//
// Failed may stand in place of any frame of the harness: it says in words what
// went wrong on our side.
//
// A frame is one byte of kind, four bytes of little-endian length, and the
// payload. A number is four little-endian bytes, a string a number (its length
// in bytes) and UTF-8.
//
//	R Ready        number: descriptor of the filter's listener
//	K Kept         nothing
//	B Blocked      nothing
//	J Job          strings: "3" (version), "run" or "check", "restricted" or
//	               "unrestricted", imports, blocked imports, blocked names,
//	               constant names (each list joined by line feeds), code;
//	               then, repeated, what the program gets beside it: strings
//	               kind, name, content:
//	                 stdin         content is what descriptor 0 gives, any bytes
//	                 arg           content is the next argument
//	                 env           name and content are a variable
//	                 file          name is a path below the working directory,
//	                               content any bytes
//	A Accepted     nothing
//	V Violations   repeated: number line, number column, strings rule, name, message
//	S SyntaxError  number line, number column, string message
//	C Checked      number: how many modules the program imports; strings: their
//	               whole dotted names, sorted, those of at most 500 bytes and of
//	               these the first 1,000
//	F Failed       string
//
// Lines and columns are 1-based; columns count characters.
//
// # Exit statuses of the payload
//
// What the program's side claims travels only in these reserved exit statuses;
// they always mean failed, and the result marks the claim as such. A program
// that picks one of them itself only misleads about its own failure.
//
//	90 exception         an uncaught exception
//	91 import_denied     an uncaught ImportError raised by the import guard
//	92 policy_violation  ended at run time by the policy
package wire
