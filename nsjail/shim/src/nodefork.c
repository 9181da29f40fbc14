/*
 * A template of Node: what must be so for a copy of the process to live on as
 * Node. fork.h has the order of things.
 */
#include "fork.h"
#include "node.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

typedef struct loop uv_loop_t;

extern uv_loop_t *uv_default_loop(void) __attribute__((weak));
extern int uv_loop_fork(uv_loop_t *) __attribute__((weak));
extern int RAND_poll(void) __attribute__((weak));

enum { JOB = 3, FIRST_OWN = 4 };

/*
 * V8 asks the kernel to leave its heap out of copies of the process. Where a
 * mapping is marked so (dc in its flags), the mark is taken away.
 */
static int copy_heap(int proc)
{
	int fd = openat(proc, "self/smaps", O_RDONLY | O_CLOEXEC);
	FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned long from = 0, to = 0, a, b;
	char line[512];
	int error = 0;

	if (maps == NULL)
		return -errno;
	while (error == 0 && fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			from = a;
			to = b;
		} else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dc") != NULL) {
			if (madvise((void *)from, to - from, MADV_DOFORK) != 0)
				error = -errno;
		}
	}
	fclose(maps);
	return error;
}

/*
 * Puts /dev/null over every descriptor that the copy has from the template: an
 * eventfd or a pipe that both hold would wake the other. The numbers stay taken,
 * since the loop closes its old ones by number.
 */
static int own_descriptors(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), error = 0;

	if (null < 0)
		return -errno;
	for (int fd = FIRST_OWN; fd < SAFE_EXEC_FORK_FDS && error == 0; fd++)
		if (fd != null && fcntl(fd, F_GETFD) >= 0 && close(fd) == 0 &&
		    fcntl(null, F_DUPFD_CLOEXEC, fd) != fd)
			error = -EMFILE;
	close(null);
	return error;
}

/*
 * serveForks(orders, proc, own): serves orders, and returns in a fork, with what
 * is the fork's own in an Int32Array of two: its process id, and a random number
 * that is not 0. The engine's workers live on in the fork; of the pool of its
 * event loop nothing may have been used, since that has no threads before.
 */
napi_value safe_exec_serve(napi_env env, napi_callback_info info)
{
	napi_value values[3];
	napi_typedarray_type type;
	size_t count = 3, length;
	int orders, proc, error;
	void *bytes;
	int *own;

	if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok || count != 3 ||
	    napi_get_value_int32(env, values[0], &orders) != napi_ok ||
	    napi_get_value_int32(env, values[1], &proc) != napi_ok ||
	    napi_get_typedarray_info(env, values[2], &type, &length, &bytes, NULL, NULL) != napi_ok ||
	    type != napi_int32_array || length != 2) {
		napi_throw_type_error(env, NULL, "serveForks takes two descriptors and an Int32Array of two");
		return NULL;
	}
	if (uv_default_loop == NULL || uv_loop_fork == NULL || RAND_poll == NULL ||
	    safe_exec_environment() == NULL)
		return safe_exec_throw(env, -ENOSYS, "look up what forks need");
	error = copy_heap(proc);
	if (error != 0)
		return safe_exec_throw(env, error, "let the heap be copied");
	error = safe_exec_hold_threads(proc);
	if (error != 0)
		return safe_exec_throw(env, error, "hold the engine's threads");
	error = safe_exec_serve_forks(orders, proc, NULL);
	if (error != 0)
		return safe_exec_throw(env, error, "serve forks");
	error = own_descriptors();
	if (error != 0)
		return safe_exec_throw(env, error, "give up the template's descriptors");
	error = uv_loop_fork(uv_default_loop());
	if (error != 0)
		return safe_exec_throw(env, error, "make the event loop anew");
	error = safe_exec_resume_threads();
	if (error != 0)
		return safe_exec_throw(env, error, "let the engine's threads go on");
	/* OpenSSL also notices that the process id is another. */
	if (RAND_poll() != 1)
		return safe_exec_throw(env, -EIO, "seed OpenSSL anew");
	own = bytes;
	own[0] = getpid();
	do {
		if (getrandom(&own[1], sizeof(own[1]), 0) != sizeof(own[1]))
			return safe_exec_throw(env, -errno, "get a random number");
	} while (own[1] == 0);
	return NULL;
}
