/*
 * Threads of the engine that live on in a copy of the process, which the kernel
 * makes with one thread only. In the template each is caught while it waits for
 * work, by a signal, and held in the handler. The copy has its stack as it was;
 * there a new thread takes the stack and returns from the handler, and to it the
 * wait was interrupted.
 */
#include "threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_THREADS = 16,
	HOLD = SIGURG,		/* nobody sends it, and ignored by default */
	BELOW = 4096,		/* bytes that the new thread needs below the old frames */
	TRIES = 2000,		/* milliseconds for threads to come to rest */
};

/* One that is held, as its own handler saw it. */
static struct held {
	pid_t id;
	_Bool resumes;		/* else it only must not run while copies are made */
	atomic_bool here;
	pthread_t self;		/* also the address of its thread-local storage */
	int *cleared;		/* what the kernel sets to 0 when it ends */
	char *stack;
	sigjmp_buf point;
} held[MOST_THREADS];
static int threads;

static struct held *me(void)
{
	pid_t id = (pid_t)syscall(SYS_gettid);

	for (int i = 0; i < threads; i++)
		if (held[i].id == id)
			return &held[i];
	return NULL; /* the signal was for another */
}

static void hold(int signal)
{
	struct held *const h = me();

	(void)signal;
	if (h == NULL)
		return;
	h->self = pthread_self();
	h->stack = __builtin_frame_address(0);
	if (prctl(PR_GET_TID_ADDRESS, &h->cleared) != 0)
		h->cleared = NULL;
	if (sigsetjmp(h->point, 0) != 0)
		return; /* in a copy */
	atomic_store(&h->here, 1);
	for (;;)
		pause();
}

/* Reads a small file of a thread, and ends it with a NUL. */
static int read_of(int proc, pid_t id, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t count;
	int fd;

	snprintf(path, sizeof(path), "self/task/%d/%s", id, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	count = read(fd, text, size - 1);
	close(fd);
	if (count < 0)
		return -errno;
	text[count] = 0;
	return 0;
}

/* Whether a thread takes the signal. One that blocks all is the debugger's. */
static int takes_signal(int proc, pid_t id)
{
	char status[4096];
	const char *mask;
	int error = read_of(proc, id, "status", status, sizeof(status));

	if (error != 0)
		return error;
	mask = strstr(status, "\nSigBlk:"); /* the first line is a name that a thread may choose */
	if (mask == NULL)
		return -EPROTO;
	return (strtoull(mask + strlen("\nSigBlk:"), NULL, 16) >> (HOLD - 1) & 1) == 0;
}

/* The number of the system call that a thread waits in, or less than 0. */
static long waits_in(int proc, pid_t id)
{
	char text[256];

	if (read_of(proc, id, "syscall", text, sizeof(text)) != 0 || text[0] < '0' || text[0] > '9')
		return -1;
	return strtol(text, NULL, 10);
}

static int list(int proc)
{
	int fd = openat(proc, "self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), takes = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (dir == NULL)
		return -errno;
	while (takes >= 0 && (entry = readdir(dir)) != NULL) {
		pid_t id = atoi(entry->d_name);

		if (id == 0 || id == (pid_t)syscall(SYS_gettid))
			continue;
		takes = takes_signal(proc, id);
		if (takes <= 0)
			continue;
		if (threads == MOST_THREADS)
			takes = -E2BIG;
		else
			held[threads++].id = id;
	}
	closedir(dir);
	return takes < 0 ? takes : 0;
}

static void wait_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

int safe_exec_hold_threads(int proc)
{
	struct sigaction action = { .sa_handler = hold };
	int error = list(proc), tries = TRIES;

	if (error != 0)
		return error;
	sigfillset(&action.sa_mask);
	if (sigaction(HOLD, &action, NULL) != 0)
		return -errno;
	for (int i = 0; i < threads; i++) {
		struct held *h = &held[i];
		long call;

		/* A worker waits for tasks by futex. The one that waits for timers
		 * and descriptors would find in a copy none of those. */
		while ((call = waits_in(proc, h->id)) != SYS_futex && call != SYS_epoll_wait &&
		       call != SYS_epoll_pwait) {
			if (tries-- == 0)
				return -EBUSY;
			wait_a_moment();
		}
		h->resumes = call == SYS_futex;
		if (syscall(SYS_tgkill, getpid(), h->id, HOLD) != 0)
			return -errno;
		while (!atomic_load(&h->here)) {
			if (tries-- == 0)
				return -EBUSY;
			wait_a_moment();
		}
		if (h->cleared == NULL)
			return -ENOSYS;
	}
	return 0;
}

static int go_on(void *h)
{
	siglongjmp(((struct held *)h)->point, 1);
}

int safe_exec_resume_threads(void)
{
	/* As the C library makes threads. */
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

	if (signal(HOLD, SIG_DFL) == SIG_ERR)
		return -errno;
	for (int i = 0; i < threads; i++) {
		struct held *h = &held[i];
		char *stack = (char *)((uintptr_t)(h->stack - BELOW) & ~(uintptr_t)15);

		/* The C library took the stack for free when it forked. With the id
		 * of a thread that runs written to it, it is not. */
		if (h->resumes && clone(go_on, stack, flags, h, h->cleared, (void *)h->self, h->cleared) < 0)
			return -errno;
	}
	return 0;
}
