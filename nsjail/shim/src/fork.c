#include "fork.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Headers older than the kernel lack the younger flags. */
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* Descriptors of one fork; package child knows them by the same names. */
enum {
	CONTROL = SAFE_EXEC_FORK_FDS, /* these three are A's for its life */
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
	MOST_GROUPS = 28,
};

/* Where the descriptors of an order go, in its order. */
static const int places[] = { REPLY, CONTROL, JOB, STDOUT, STDERR };

enum { STREAMS = sizeof(places) / sizeof(places[0]) };

enum { EXIT_FAULT = 70, EXIT_NO_FRAME = 71 };

enum { VERSION = 1, ORDER_SIZE = 64 << 10 };

/* An order is this header, its operations (A's before the fork, the payload's,
 * A's after it), relocations, and data, all in the machine's byte order. */
struct header {
	uint32_t version;
	uint32_t v2; /* the one group is the leaf's directory of cgroup v2 */
	uint64_t flags; /* of clone3 */
	uint32_t before, payload, after; /* how many operations */
	uint32_t relocations; /* how many: offsets of offsets in data that become addresses */
	uint32_t size; /* bytes of data; the last is NUL */
	uint32_t map, map_size; /* text of the id maps, in data */
	uint32_t reserved;
};

enum check { MUST_SUCCEED, MUST_RETURN, MUST_FAIL, MAY_FAIL };

struct op {
	uint64_t args[5];
	uint32_t nr;
	uint32_t step; /* its name, in data */
	uint32_t check;
	uint32_t want; /* the value or errno that check means */
	uint32_t store; /* where in data the result goes; 0 is nowhere */
	uint32_t reserved;
};

/* The two highest bits of an argument; both or none is the argument itself. */
#define MARKS (3ULL << 62)
#define POINTER (1ULL << 62) /* an offset in data: its address */
#define STORED (2ULL << 62) /* an offset in data: the 32-bit number there */

/* No system call: every line of the file must name the root of its hierarchy. */
enum { PROVE_CGROUP_ROOT = 1 << 20 };

static _Alignas(8) unsigned char order[ORDER_SIZE];

static const struct header *header;
static const struct op *ops;
static unsigned char *data;

/* proveCgroupRoot of package child, in a copy of the interpreter. */
static long prove_cgroup_root(int file)
{
	static char text[8192];
	size_t size = 0, i;
	ssize_t n;

	while (size < sizeof(text) && (n = read(file, text + size, sizeof(text) - size)) > 0)
		size += (size_t)n;
	if (size == 0 || size == sizeof(text)) {
		errno = EPROTO;
		return -1;
	}
	for (i = 0; i < size; i++)
		if (text[i] == '\n' && (i < 2 || text[i - 1] != '/' || text[i - 2] != ':')) {
			errno = EXDEV;
			return -1;
		}
	return 0;
}

static long value(uint64_t arg)
{
	uint32_t number;

	switch (arg & MARKS) {
	case POINTER:
		return (long)(data + (arg & ~MARKS));
	case STORED:
		memcpy(&number, data + (arg & ~MARKS), sizeof(number));
		return (long)number;
	}
	return (long)arg;
}

/* Performs operations; 0, or 1 with the index of the one that failed and its
 * errno, which is 0 where a call succeeded that must not. */
static int run(uint32_t first, uint32_t count, uint32_t failed[2])
{
	uint32_t i;

	for (i = first; i < first + count; i++) {
		const struct op *o = &ops[i];
		const uint64_t *a = o->args;
		long result;
		int number;

		if (o->nr == PROVE_CGROUP_ROOT)
			result = prove_cgroup_root((int)value(a[0]));
		else
			result = syscall((long)o->nr, value(a[0]), value(a[1]), value(a[2]), value(a[3]), value(a[4]), 0L);
		number = result < 0 ? errno : 0;
		if ((o->check == MUST_SUCCEED && number != 0) ||
		    (o->check == MUST_RETURN && (number != 0 || (uint64_t)result != o->want)) ||
		    (o->check == MUST_FAIL && (uint32_t)number != o->want) ||
		    (o->check == MAY_FAIL && number != 0 && (uint32_t)number != o->want)) {
			failed[0] = i;
			failed[1] = (uint32_t)number;
			return 1;
		}
		if (o->store != 0) {
			uint32_t kept = (uint32_t)result;

			memcpy(data + o->store, &kept, sizeof(kept));
		}
	}
	return 0;
}

/* wire.Event */
enum { EVENT_FAULT = 1, EVENT_STARTED = 2, EVENT_EXITED = 3 };

struct event {
	uint32_t kind;
	const char *step;
	uint32_t number, status;
	uint64_t bytes, inodes;
	int fd; /* rides along unless negative */
};

static void put(unsigned char **at, const void *from, size_t size)
{
	memcpy(*at, from, size);
	*at += size;
}

static int report(int socket, struct event e)
{
	unsigned char text[128], *at = text;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = { .iov_base = text };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	uint32_t length = (uint32_t)strnlen(e.step, 64);

	put(&at, &e.kind, 4);
	put(&at, &length, 4);
	put(&at, e.step, length);
	put(&at, &e.number, 4);
	put(&at, &e.status, 4);
	put(&at, &e.bytes, 8);
	put(&at, &e.inodes, 8);
	part.iov_len = (size_t)(at - text);
	if (e.fd >= 0) {
		struct cmsghdr *c;

		memset(control, 0, sizeof(control));
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &e.fd, sizeof(int));
	}
	return syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int fault(int socket, const char *step, uint32_t number)
{
	return report(socket, (struct event){ .kind = EVENT_FAULT, .step = step, .number = number, .fd = -1 });
}

static const char *step_name(uint32_t op) { return (const char *)data + ops[op].step; }

static _Noreturn void end(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

/* A, from its filter on: what it calls is in profiles/forkinit.syscalls. It ends
 * when the daemon's end of control closes, and its pid namespace with it. */
static _Noreturn void supervise(int pid)
{
	struct pollfd waits[] = { { .fd = CONTROL, .events = POLLIN }, { .fd = PAYLOAD, .events = POLLIN } };

	for (;;) {
		char message[64];

		if (syscall(SYS_ppoll, waits, 2, NULL, NULL, 0) < 0)
			continue; /* a signal */
		if (waits[0].revents != 0 && syscall(SYS_read, CONTROL, message, sizeof(message)) <= 0)
			end(0);
		if (waits[1].revents != 0) {
			struct event e = { .kind = EVENT_EXITED, .step = "", .fd = -1 };
			struct statfs tmp;

			if (syscall(SYS_wait4, pid, &e.status, 0, NULL) < 0) {
				fault(CONTROL, "wait", (uint32_t)errno);
				end(EXIT_FAULT);
			}
			if (syscall(SYS_statfs, "/tmp", &tmp) == 0) {
				e.bytes = (uint64_t)tmp.f_bavail * (uint64_t)tmp.f_bsize;
				e.inodes = (uint64_t)tmp.f_ffree;
			}
			if (report(CONTROL, e) != 0)
				end(EXIT_NO_FRAME);
			waits[1].fd = -1;
			waits[1].revents = 0;
		}
	}
}

/* A. Returns in the payload only. */
static void become_jail(void)
{
	uint32_t failed[2];
	ssize_t n;
	int pid, fd;

	if (run(0, header->before, failed))
		goto fail;
	/* The library's, for its record of the thread's id, its locks, and the
	 * handlers of those who want to know. */
	pid = fork();
	if (pid == 0) {
		if (run(header->before, header->payload, failed)) {
			if (write(FAULTS_WRITE, failed, sizeof(failed)) < 0)
				end(EXIT_NO_FRAME);
			end(EXIT_FAULT);
		}
		close(FAULTS_WRITE); /* the word that all is well */
		return;
	}
	fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 || dup3(fd, PAYLOAD, O_CLOEXEC) < 0) {
		fault(CONTROL, "payload", (uint32_t)errno);
		end(EXIT_FAULT);
	}
	if (run(header->before + header->payload, header->after, failed))
		goto fail;
	n = syscall(SYS_read, FAULTS, failed, sizeof(failed));
	if (n == sizeof(failed))
		goto fail;
	if (n != 0 || report(CONTROL, (struct event){ .kind = EVENT_STARTED, .step = "", .fd = PAYLOAD }) != 0)
		end(EXIT_NO_FRAME);
	supervise(pid);
fail:
	fault(CONTROL, step_name(failed[0]), failed[1]);
	end(EXIT_FAULT);
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
	n = write(fd, data + header->map, header->map_size);
	if (n != (ssize_t)header->map_size)
		number = n < 0 ? errno : EPROTO;
	close(fd);
	return number;
}

/* Clones A into the leaf. Returns its pid, 0 in the payload alone, or -1 after
 * it has named the step that failed. */
static long clone_into(const int *groups, int count, int *pidfd)
{
	struct clone_args args = {
		.flags = header->flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};
	int half = header->v2 ? 0 : count / 2, entered;
	long pid = -1;

	if (header->v2) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)groups[0];
	}
	entered = enter(groups, half);
	if (entered < half) {
		fault(REPLY, "spawn_enter_cgroup", (uint32_t)errno);
	} else {
		pid = syscall(SYS_clone3, &args, sizeof(args));
		if (pid == 0) {
			become_jail();
			return 0;
		}
		if (pid < 0)
			fault(REPLY, "spawn_clone", (uint32_t)errno);
	}
	/* A template that cannot go home must not live on in a run's leaf. */
	if (enter(groups + half, entered) < entered)
		end(EXIT_FAULT);
	return pid;
}

/* Serves one order; 1 in a forked payload. */
static int serve(int proc, const int *groups, int count)
{
	static const char *const maps[][2] = { { "uid_map", "spawn_uid_map" }, { "gid_map", "spawn_gid_map" } };
	int pidfd = -1, number = 0;
	size_t i;
	long pid = clone_into(groups, count, &pidfd);

	if (pid <= 0)
		return pid == 0;
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]) && number == 0; i++) {
		number = write_map(proc, pid, maps[i][0]);
		if (number != 0)
			fault(REPLY, maps[i][1], (uint32_t)number);
	}
	if (number == 0) {
		if (write(GO_WRITE, "", 1) == 1)
			report(REPLY, (struct event){ .kind = EVENT_STARTED, .step = "", .fd = pidfd });
		else
			number = errno;
	}
	if (number != 0)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	close(pidfd);
	return 0;
}

static int within(uint64_t offset, uint64_t size) { return offset + size <= header->size && offset <= header->size; }

/* Says whether an order of that size is whole, and makes its addresses. */
static int understand(size_t size)
{
	uint64_t count, want;
	const uint32_t *relocations;
	uint32_t i, k;

	header = (const struct header *)order;
	ops = (const struct op *)(order + sizeof(*header));
	if (size < sizeof(*header) || header->version != VERSION)
		return 0;
	count = (uint64_t)header->before + header->payload + header->after;
	want = sizeof(*header) + count * sizeof(*ops) + (uint64_t)header->relocations * 8 + header->size;
	if (want != size || header->size == 0 || order[size - 1] != '\0' || !within(header->map, header->map_size))
		return 0;
	relocations = (const uint32_t *)(ops + count);
	data = order + size - header->size;
	for (i = 0; i < count; i++) {
		const struct op *o = &ops[i];

		if (o->step >= header->size || o->check > MAY_FAIL || !within(o->store, 4))
			return 0;
		for (k = 0; k < 5; k++) {
			uint64_t mark = o->args[k] & MARKS, offset = o->args[k] & ~MARKS;

			if ((mark == POINTER && !within(offset, 1)) || (mark == STORED && !within(offset, 4)))
				return 0;
		}
	}
	for (i = 0; i < header->relocations; i++) {
		uint32_t at = relocations[2 * i];
		uint64_t offset;

		if (!within(at, sizeof(offset)))
			return 0;
		memcpy(&offset, data + at, sizeof(offset));
		if (!within(offset, 1))
			return 0;
		offset += (uint64_t)(uintptr_t)data;
		memcpy(data + at, &offset, sizeof(offset));
	}
	return 1;
}

/* Receives one order and puts its descriptors in their places. Returns how many
 * groups came with it, -1 at the end of the orders, and does not return from a
 * malformed one. */
static int receive(int orders, int *groups)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE((STREAMS + MOST_GROUPS) * sizeof(int))];
	struct iovec part = { .iov_base = order, .iov_len = sizeof(order) };
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
	if (!understand((size_t)n) || count <= STREAMS || (header->v2 ? count != STREAMS + 1 : (count - STREAMS) % 2 != 0))
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
	int groups[MOST_GROUPS];

	if (getpid() < SAFE_EXEC_LOWEST_PID || getpid() != (int)syscall(SYS_gettid))
		return -EINVAL;
	/* The kernel reaps the jails; the daemon watches each through its pidfd. */
	if (signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return -errno;
	for (;;) {
		int count = receive(orders, groups);

		if (count < 0)
			end(0);
		if (ready != NULL)
			ready();
		if (place_pipe(FAULTS, FAULTS_WRITE) != 0 || place_pipe(GO, GO_WRITE) != 0)
			end(EXIT_FAULT);
		if (serve(proc, groups, count))
			return 0;
		if (syscall(SYS_close_range, SAFE_EXEC_FORK_FDS, ~0U, 0) != 0)
			end(EXIT_FAULT);
	}
}
