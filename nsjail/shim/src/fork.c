#include "event.h"
#include "fork.h"
#include "order.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Headers older than the kernel lack the younger flags. */
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* Descriptors of one fork; package child knows them by the same names. */
enum {
	CONTROL = SAFE_EXEC_FORK_FDS,
	FAULTS,
	PAYLOAD,
	JOB,
	STDOUT,
	STDERR,
	FAULTS_WRITE,
	GO,
	GO_WRITE,
	REPLY,
	GROUPS,
	MOST_GROUPS = 27, /* with the others 32, which fill a control message: an odd number would leave room for one more */
};

/* Where the descriptors of an order go, in its order. */
static const int places[] = { REPLY, CONTROL, JOB, STDOUT, STDERR };

enum { STREAMS = sizeof(places) / sizeof(places[0]) };

static struct order order;

/* A begins in the template's memory, on this stack; only the payload is a copy.
 * The template waits meanwhile, until the kernel has cleared the word: A has
 * become a program of its own, or is dead. */
static _Alignas(16) unsigned char stack[64 << 10];
static volatile int shared;
static void *resume[5]; /* where the template is, for the payload to go on from */

static _Noreturn void become_payload(void)
{
	struct failure f;

	if (safe_exec_perform(&order, order.header->before, order.header->payload, &f)) {
		raw(SYS_write, FAULTS_WRITE, address(&f), sizeof(f), 0, 0);
		end(EXIT_FAULT);
	}
	raw(SYS_close, FAULTS_WRITE, 0, 0, 0, 0); /* the word that all is well */
	__builtin_longjmp(resume, 1);
}

/* A, up to where it becomes supervisor.c. */
static _Noreturn void become_init(void)
{
	struct failure f = { .step = "payload" };
	long fd;
	int pid;

	if (!safe_exec_perform(&order, 0, order.header->before, &f)) {
		/* The library's, for its record of the thread's id, its locks, and
		 * the handlers of those who want to know. */
		pid = fork();
		if (pid == 0)
			become_payload();
		fd = pid < 0 ? -errno : raw(SYS_pidfd_open, (uint64_t)pid, 0, 0, 0, 0);
		if (fd >= 0)
			fd = raw(SYS_dup3, (uint64_t)fd, PAYLOAD, O_CLOEXEC, 0, 0);
		f.number = (uint32_t)-fd;
		if (fd >= 0)
			safe_exec_perform(&order, order.header->before + order.header->payload, order.header->after, &f); /* its last does not return */
	}
	fault(CONTROL, f.step, f.number);
	end(EXIT_FAULT);
}

/* clone3, whose child calls the function on the stack of the arguments. */
static long clone_calling(const struct clone_args *args, void (*function)(void))
{
	register void (*r8)(void) __asm__("r8") = function;
	long result = SYS_clone3;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call *%%r8\n"
			 "1:"
			 : "+a"(result)
			 : "D"(args), "S"(sizeof(*args)), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

/* Moves this thread into groups of cgroup v1 by their tasks files; the literal
 * 0 takes no global lock. Returns how many took it. */
static int enter(const int *files, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (write(files[i], "0", 1) != 1)
			break;
	return i;
}

static int write_map(int proc, long pid, const char *name)
{
	char path[64];
	ssize_t n;
	int fd, number = 0;

	snprintf(path, sizeof(path), "%ld/%s", pid, name);
	fd = openat(proc, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	n = write(fd, order.data + order.header->map, order.header->map_size);
	if (n != (ssize_t)order.header->map_size)
		number = n < 0 ? errno : EPROTO;
	close(fd);
	return number;
}

/* Clones A into the leaf. Returns its pid, or -1 after it has named the step that
 * failed. */
static long clone_into(const int *groups, int count, int *pidfd)
{
	struct clone_args args = {
		.flags = order.header->flags | CLONE_VM | CLONE_CHILD_CLEARTID | CLONE_PIDFD,
		.pidfd = address(pidfd),
		.child_tid = address((const void *)&shared),
		.exit_signal = SIGCHLD,
		.stack = address(stack),
		.stack_size = sizeof(stack),
	};
	int half = order.header->v2 ? 0 : count / 2, entered;
	long pid = -1;

	if (order.header->v2) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)groups[0];
	}
	entered = enter(groups, half);
	if (entered < half) {
		fault(REPLY, "spawn_enter_cgroup", (uint32_t)errno);
	} else {
		shared = 1;
		pid = clone_calling(&args, become_init);
		if (pid < 0) {
			shared = 0;
			fault(REPLY, "spawn_clone", (uint32_t)-pid);
			pid = -1;
		}
	}
	/* A template that cannot go home must not live on in a run's leaf. */
	if (enter(groups + half, entered) < entered)
		end(EXIT_FAULT);
	return pid;
}

/* Serves one order in the template. A begins to run when it is let go. The daemon
 * hears of it, and so can end it, when it no longer runs in this memory: one that
 * dies while it forks would leave the library's locks held here for good. */
static void serve(int proc, const int *groups, int count)
{
	static const char *const maps[][2] = { { "uid_map", "spawn_uid_map" }, { "gid_map", "spawn_gid_map" } };
	int pidfd = -1, number = 0;
	size_t i;
	long pid = clone_into(groups, count, &pidfd);

	if (pid < 0)
		return;
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]) && number == 0; i++) {
		number = write_map(proc, pid, maps[i][0]);
		if (number != 0)
			fault(REPLY, maps[i][1], (uint32_t)number);
	}
	if (number == 0 && write(GO_WRITE, "", 1) != 1) {
		number = EPIPE;
		fault(REPLY, "spawn_go", EPIPE);
	}
	if (number != 0) /* it still waits, in a plain system call */
		raw(SYS_pidfd_send_signal, (uint64_t)pidfd, SIGKILL, 0, 0, 0);
	while (shared)
		raw(SYS_futex, address((const void *)&shared), FUTEX_WAIT, 1, 0, 0);
	if (number == 0)
		report(REPLY, (struct event){ .kind = EVENT_STARTED, .step = "", .fd = pidfd });
	raw(SYS_close, (uint64_t)pidfd, 0, 0, 0, 0);
}

/* Receives one order and puts its descriptors in their places. Returns how many
 * groups came with it, -1 at the end of the orders, and does not return from a
 * malformed one. */
static int receive(int orders, int *groups)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE((STREAMS + MOST_GROUPS) * sizeof(int))];
	struct iovec part = { .iov_base = order.bytes, .iov_len = sizeof(order.bytes) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	int fds[STREAMS + MOST_GROUPS], count = 0, i;
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(orders, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&message);
	if (n == 0 && c == NULL)
		return -1;
	if (n < 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || c == NULL ||
	    c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || CMSG_NXTHDR(&message, c) != NULL)
		end(EXIT_NO_FRAME);
	count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fds, CMSG_DATA(c), (size_t)count * sizeof(int));
	if (!safe_exec_understand(&order, (size_t)n) || count <= STREAMS || (order.header->v2 ? count != STREAMS + 1 : (count - STREAMS) % 2 != 0))
		end(EXIT_NO_FRAME);
	for (i = 0; i < count; i++) {
		int place = i < STREAMS ? places[i] : GROUPS + i - STREAMS;

		if (dup3(fds[i], place, O_CLOEXEC) < 0)
			end(EXIT_NO_FRAME);
		close(fds[i]);
		if (i >= STREAMS)
			groups[i - STREAMS] = place;
	}
	return count - STREAMS;
}

/* Makes a pipe with its ends in their places. */
static int place_pipe(int from, int to)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	if (dup3(ends[0], from, O_CLOEXEC) < 0 || dup3(ends[1], to, O_CLOEXEC) < 0)
		return -1;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

int safe_exec_serve_forks(int orders, int proc, void (*ready)(void))
{
	int groups[MOST_GROUPS], count;
	volatile int forked = 1; /* as a payload finds it */
	sigset_t all, before;

	if (getpid() < SAFE_EXEC_LOWEST_PID || getpid() != (int)raw(SYS_gettid, 0, 0, 0, 0, 0))
		return -EINVAL;
	/* The kernel reaps the jails; the daemon watches each through its pidfd. */
	if (signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return -errno;
	sigfillset(&all);
	/* From here on it does nothing else, and may be looked at. */
	if (report(orders, (struct event){ .kind = EVENT_STARTED, .step = "", .fd = -1 }) < 0)
		end(EXIT_NO_FRAME);
	for (;;) {
		count = receive(orders, groups);
		if (count < 0)
			end(0);
		if (ready != NULL)
			ready();
		if (place_pipe(FAULTS, FAULTS_WRITE) != 0 || place_pipe(GO, GO_WRITE) != 0)
			end(EXIT_FAULT);
		/* A handler of the interpreter's must not run in A. */
		sigprocmask(SIG_SETMASK, &all, &before);
		if (__builtin_setjmp(resume) == 0) {
			serve(proc, groups, count);
			forked = 0;
		}
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (forked)
			return 0;
		forked = 1;
		if (raw(SYS_close_range, SAFE_EXEC_FORK_FDS, ~0U, 0, 0, 0) != 0)
			end(EXIT_FAULT);
	}
}
