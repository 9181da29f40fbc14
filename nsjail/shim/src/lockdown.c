#include "lockdown.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers older than the kernel lack the younger flags. */
#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif
#ifndef SECCOMP_FILTER_FLAG_TSYNC_ESRCH
#define SECCOMP_FILTER_FLAG_TSYNC_ESRCH (1UL << 4)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static struct sock_filter filter[BPF_MAXINSNS];

static int load(const struct sock_fprog *prog, unsigned long flags)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, prog);
}

int safe_exec_lockdown(const void *program, size_t size, const char **step)
{
	/* TSYNC_ESRCH: with a listener the return value is a descriptor, so a
	 * thread that could not be synchronised has to come as an errno. */
	unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH |
			      SECCOMP_FILTER_FLAG_NEW_LISTENER;
	struct sock_fprog prog;
	int fd;

	*step = "read the filter";
	if (size == 0 || size % sizeof(filter[0]) != 0 || size > sizeof(filter))
		return -EINVAL;
	/* A copy, for the caller's buffer need not be aligned. */
	memcpy(filter, program, size);
	prog.len = (unsigned short)(size / sizeof(filter[0]));
	prog.filter = filter;

	/* A privileged caller could load a filter without no_new_privs, which
	 * would hide that the init forgot to set it. */
	*step = "check no_new_privs";
	fd = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	if (fd < 0)
		return -errno;
	if (fd != 1)
		return -EPERM;

	/* A core limit of 0 does not keep a crash from a core_pattern that is a
	 * pipe: the kernel would feed memory that the program chose to a root
	 * helper on the host. An undumpable process reaches no such helper, and
	 * nobody of the same uid may attach to it. */
	*step = "clear dumpable";
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -errno;

	*step = "load the filter";
	fd = load(&prog, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	/* WAIT_KILLABLE_RECV came with Linux 5.19; without it a signal may make
	 * a refused call restart, which costs a second notification. */
	if (fd < 0 && errno == EINVAL)
		fd = load(&prog, flags);
	return fd < 0 ? -errno : fd;
}
