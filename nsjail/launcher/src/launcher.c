/*
 * Launcher: what a jail runs in place of an interpreter when root wants to look
 * at the lock-down from inside. It speaks the harness's side of the job socket,
 * loads the steady filter by the shim's own code, and becomes the program.
 *
 * What it leaves out: any judgement. The daemon looks at this process from
 * outside before it sends the job, as it does with every interpreter.
 */
#include "../../shim/src/lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOB = 3, HEADER = 5, FIELDS_BEFORE_CODE = 7 };

#define PROGRAM "/usr/bin/program"
#define FILTER "/usr/lib/safe-exec/steady.bpf"

/* Above the daemon's bound on a program's text, with room for the import lists
 * that stand before it. */
static unsigned char job[2 << 20];
static unsigned char filter[64 << 10];

extern char **environ;

static void put(unsigned char *at, uint32_t n)
{
	at[0] = n & 0xff;
	at[1] = n >> 8 & 0xff;
	at[2] = n >> 16 & 0xff;
	at[3] = n >> 24 & 0xff;
}

static uint32_t get(const unsigned char *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static int all(ssize_t (*transfer)(unsigned char *, size_t), unsigned char *at, size_t n)
{
	while (n > 0) {
		ssize_t done = transfer(at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

static ssize_t from_job(unsigned char *at, size_t n) { return read(JOB, at, n); }
static ssize_t to_job(unsigned char *at, size_t n) { return write(JOB, at, n); }

static int send_frame(char kind, const void *payload, size_t n)
{
	unsigned char frame[HEADER + 256];

	frame[0] = (unsigned char)kind;
	put(frame + 1, (uint32_t)n);
	memcpy(frame + HEADER, payload, n);
	return all(to_job, frame, HEADER + n);
}

/* Reads one frame of the wanted kind into the job buffer; its length, or -1. */
static ssize_t receive(char kind)
{
	unsigned char header[HEADER];
	uint32_t n;

	if (all(from_job, header, HEADER) != 0 || header[0] != (unsigned char)kind)
		return -1;
	n = get(header + 1);
	if (n > sizeof(job) || all(from_job, job, n) != 0)
		return -1;
	return n;
}

static _Noreturn void fail(const char *step, int number)
{
	unsigned char payload[256];
	int n = snprintf((char *)payload + 4, sizeof(payload) - 4, "launcher: %s: %s", step, strerror(number));

	put(payload, (uint32_t)n);
	send_frame('F', payload, 4 + (size_t)n);
	_exit(1);
}

static size_t read_filter(void)
{
	int fd = open(FILTER, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		fail("open the filter", errno);
	while ((n = read(fd, filter + size, sizeof(filter) - size)) > 0)
		size += (size_t)n;
	if (n < 0 || size == sizeof(filter))
		fail("read the filter", n < 0 ? errno : EFBIG);
	close(fd);
	return size;
}

/* Splits the last field of the job, arguments with a NUL between each two. */
static char **arguments(size_t size)
{
	size_t at = 0, length, count = 1;
	char **argv, *end, *p;
	int i;

	for (i = 0;; i++) {
		if (size - at < 4)
			fail("read the job", EPROTO);
		length = get(job + at);
		at += 4;
		if (length > size - at)
			fail("read the job", EPROTO);
		if (i == FIELDS_BEFORE_CODE)
			break;
		at += length;
	}
	if (at + length != size || size == sizeof(job))
		fail("read the job", EPROTO);
	p = (char *)job + at;
	end = p + length;
	*end = 0;
	for (char *q = p; q < end; q++)
		count += *q == 0;
	argv = calloc(count + 1, sizeof(*argv));
	if (argv == NULL)
		fail("read the job", ENOMEM);
	for (size_t k = 0; k < count; k++, p += strlen(p) + 1)
		argv[k] = p;
	return argv;
}

int main(void)
{
	const char *step;
	unsigned char number[4];
	char **argv;
	ssize_t size;
	int listener = safe_exec_lockdown(filter, read_filter(), &step);

	if (listener < 0)
		fail(step, -listener);
	put(number, (uint32_t)listener);
	if (send_frame('R', number, sizeof(number)) != 0 || receive('K') < 0)
		_exit(1);
	close(listener);
	if (send_frame('B', "", 0) != 0 || (size = receive('J')) < 0)
		_exit(1);
	argv = arguments((size_t)size);
	/* Descriptor 3 is gone before the program runs, so what follows can be told
	 * on stderr only. */
	if (send_frame('A', "", 0) != 0)
		_exit(1);
	close(JOB);
	execve(PROGRAM, argv, environ);
	dprintf(2, "launcher: execve: %s\n", strerror(errno));
	_exit(126);
}
