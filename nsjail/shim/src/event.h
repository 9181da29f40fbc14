/*
 * What a template and every init need: system calls without the C
 * library, and the events of package wire.
 */
#ifndef SAFE_EXEC_EVENT_H
#define SAFE_EXEC_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Returns a negative errno and touches no memory: the fork's init runs in that
 * of the template at first, whose errno is not its own. */
static inline long raw(long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

static inline _Noreturn void end(int status)
{
	for (;;)
		raw(SYS_exit_group, (uint64_t)status, 0, 0, 0, 0);
}

enum { EXIT_FAULT = 70, EXIT_NO_FRAME = 71 };

/* Descriptors of a fork's init as a program of its own. */
enum { INIT_CONTROL = 3, INIT_FAULTS, INIT_PAYLOAD, INIT_PROGRAM, INIT_FILTER };

/* What a payload says of a step that failed, on the pipe of faults. */
enum { STEP_SIZE = 60 };

struct failure {
	uint32_t number; /* errno, or 0 where a call succeeded that must not */
	char step[STEP_SIZE]; /* NUL-terminated */
};

enum { EVENT_FAULT = 1, EVENT_STARTED = 2, EVENT_EXITED = 3 };

struct event {
	uint32_t kind;
	const char *step;
	uint32_t number, status;
	uint64_t bytes, inodes;
	int fd; /* rides along unless negative */
};

static inline unsigned char *put(unsigned char *at, const void *from, size_t size)
{
	const unsigned char *source = from;

	while (size-- > 0)
		*at++ = *source++;
	return at;
}

/* Sends an event; 0, or negative when nobody hears it. */
static inline long report(int socket, struct event e)
{
	unsigned char text[4 + 4 + STEP_SIZE + 4 + 4 + 8 + 8], *at = text;
	_Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = text };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	uint32_t length = 0;

	while (length < STEP_SIZE && e.step[length] != '\0')
		length++;
	at = put(at, &e.kind, 4);
	at = put(at, &length, 4);
	at = put(at, e.step, length);
	at = put(at, &e.number, 4);
	at = put(at, &e.status, 4);
	at = put(at, &e.bytes, 8);
	at = put(at, &e.inodes, 8);
	part.iov_len = (size_t)(at - text);
	if (e.fd >= 0) {
		struct cmsghdr *c = (struct cmsghdr *)control;

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		put(CMSG_DATA(c), &e.fd, sizeof(int));
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
	}
	return raw(SYS_sendmsg, (uint64_t)socket, address(&message), MSG_NOSIGNAL, 0, 0);
}

static inline void fault(int socket, const char *step, uint32_t number)
{
	report(socket, (struct event){ .kind = EVENT_FAULT, .step = step, .number = number, .fd = -1 });
}

#endif
