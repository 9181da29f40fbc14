/*
 * Forks: an interpreter that is ready, the template, makes single-use jails out
 * of copies of itself. It serves orders of the daemon; each brings the
 * descriptors of one jail and says, call by call, what the copy does to become
 * one. Package child writes the orders and says what stands in them and why.
 *
 *	template	clone3 into all new namespaces and the leaf, maps ids
 *	  A		pid 1 of the new pid namespace, at first in the template's
 *			memory, which waits meanwhile: mounts, forks, drops all
 *			privileges, becomes supervisor.c
 *	    B		the payload: identity, limits, Landlock, start-up filter;
 *			goes on as the interpreter
 *
 * What it leaves out: deciding any of it (the daemon's work), the steady filter
 * (lockdown.h), and what an interpreter must do to live on in a copy of itself
 * (the bindings').
 */
#ifndef SAFE_EXEC_FORK_H
#define SAFE_EXEC_FORK_H

/*
 * Serves orders on the socket (SOCK_SEQPACKET) until the other end closes, and
 * then ends the process. It says so there first, by a packet of its own (Started,
 * package wire). proc is a directory descriptor of the /proc of this
 * pid namespace. ready, if not NULL, is called once per order, before the
 * descriptors of the order are used and before anything is forked; it must not
 * open descriptors.
 *
 * Returns in a forked payload only. There, descriptors 0 to 3 are null, stdout,
 * stderr and the job socket; orders and proc are closed, and so is everything
 * from the order's first number to close on. C library handlers of
 * pthread_atfork have run; all other threads are gone; SIGCHLD is back at its
 * default, the rest of the signals as the template had it.
 *
 * Must be called on the first thread. A process id below SAFE_EXEC_LOWEST_PID
 * is refused: a fork's is 2, and libraries that compare ids must notice. On
 * such a failure returns a negative errno, in the template.
 *
 * Descriptors from SAFE_EXEC_FORK_FDS on are its own: the caller has none there,
 * and RLIMIT_NOFILE lets 40 be opened.
 */
int safe_exec_serve_forks(int orders, int proc, void (*ready)(void));

/*
 * Puts this process's own memory into huge pages where it can, Linux 6.1, so that
 * a fork copies one entry for 512 pages. Those that a payload writes to are split
 * in its copy alone: what it pays for stays pages. Holes of less than a huge page
 * are filled, so it is for a heap without many. proc is as above.
 */
void safe_exec_collapse(int proc);

enum { SAFE_EXEC_LOWEST_PID = 100, SAFE_EXEC_FORK_FDS = 200 };

#endif
