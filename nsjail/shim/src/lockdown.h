/*
 * Lock-down: the last step of our own code in the payload's process. It takes
 * away, for good and on every thread, what the interpreter needed to start and
 * untrusted text must not have.
 *
 * What it leaves out: building the filter (the daemon's work), and judging
 * whether the rest of the jail holds (the daemon looks from outside).
 */
#ifndef SAFE_EXEC_LOCKDOWN_H
#define SAFE_EXEC_LOCKDOWN_H

#include <stddef.h>

/*
 * Loads the seccomp program, an array of struct sock_filter in the machine's
 * byte order, on all threads of the process (Linux 5.7 for TSYNC together with
 * a listener), and makes the process undumpable.
 *
 * Returns the descriptor of the filter's user-notification listener. On
 * failure returns a negative errno and sets *step to the name of what failed;
 * the process may then be half locked down and must end.
 */
int safe_exec_lockdown(const void *program, size_t size, const char **step);

#endif
