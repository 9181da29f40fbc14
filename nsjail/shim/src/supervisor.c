/*
 * The init of a jail, from where it needs none of its privileges any more: a
 * program without a library, so that a jail that waits costs next to no memory.
 * It is executed by what has built the jail (package child, fork.c), with no
 * capability left, and loads its filter itself, since that refuses the exec.
 *
 * It waits for the payload, says how it ended, hands over files that it left
 * (collect.c), and stays until the daemon's end of the control socket closes:
 * then it ends, and the pid namespace with it.
 */
#include "collect.h"
#include "event.h"

#include <asm/siginfo.h>
#include <asm/statfs.h>
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/poll.h>
#include <linux/seccomp.h>
#include <linux/wait.h>

static struct sock_filter filter[BPF_MAXINSNS];

static void load_filter(void)
{
	struct sock_fprog program = { .filter = filter };
	size_t size = 0;
	long n;

	while ((n = raw(SYS_read, INIT_FILTER, address((char *)filter + size), sizeof(filter) - size, 0, 0)) > 0)
		size += (size_t)n;
	program.len = (unsigned short)(size / sizeof(filter[0]));
	if (n == 0)
		n = raw(SYS_close_range, INIT_PROGRAM, ~0U, 0, 0, 0);
	if (n == 0)
		n = raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, address(&program), 0, 0);
	if (n != 0) {
		fault(INIT_CONTROL, "init_filter", (uint32_t)-n);
		end(EXIT_FAULT);
	}
}

/* Waits for the payload to be through its steps: then the pipe is at its end. */
static void await_payload(void)
{
	struct failure f;
	long n = raw(SYS_read, INIT_FAULTS, address(&f), sizeof(f), 0, 0);

	if (n != 0) {
		f.step[STEP_SIZE - 1] = '\0';
		fault(INIT_CONTROL, n == sizeof(f) ? f.step : "payload", n == sizeof(f) ? f.number : EPROTO);
		end(EXIT_FAULT);
	}
	raw(SYS_close, INIT_FAULTS, 0, 0, 0, 0);
	if (report(INIT_CONTROL, (struct event){ .kind = EVENT_STARTED, .step = "", .fd = INIT_PAYLOAD }) < 0)
		end(EXIT_NO_FRAME);
}

/* By its descriptor, since its number is another in each kind of jail. The status
 * is made as wait4(2) gives it. */
static uint32_t reap(void)
{
	siginfo_t about = { .si_code = 0 };
	long n = raw(SYS_waitid, P_PIDFD, INIT_PAYLOAD, address(&about), WEXITED, 0);

	if (n != 0) {
		fault(INIT_CONTROL, "wait", (uint32_t)-n);
		end(EXIT_FAULT);
	}
	if (about.si_code == CLD_EXITED)
		return (uint32_t)(about.si_status & 0xff) << 8;
	return (uint32_t)about.si_status | (about.si_code == CLD_DUMPED ? 0x80 : 0);
}

static void tell_end(void)
{
	struct event e = { .kind = EVENT_EXITED, .step = "", .fd = -1, .status = reap() };
	struct statfs tmp;

	if (raw(SYS_statfs, address("/tmp"), address(&tmp), 0, 0, 0) == 0) {
		e.bytes = (uint64_t)tmp.f_bavail * (uint64_t)tmp.f_bsize;
		e.inodes = (uint64_t)tmp.f_ffree;
	}
	if (report(INIT_CONTROL, e) < 0)
		end(EXIT_NO_FRAME);
}

static __attribute__((used)) _Noreturn void run(void)
{
	struct pollfd waits[] = { { .fd = INIT_CONTROL, .events = POLLIN }, { .fd = INIT_PAYLOAD, .events = POLLIN } };

	load_filter();
	await_payload();
	for (;;) {
		if (raw(SYS_poll, address(waits), 2, (uint64_t)-1, 0, 0) < 0)
			continue; /* stopped and continued */
		if (waits[0].revents != 0) {
			if (waits[1].fd >= 0) /* while it lives there is nothing to ask */
				end(0);
			serve_collector(INIT_CONTROL);
		}
		if (waits[1].revents != 0) {
			tell_end();
			waits[1] = (struct pollfd){ .fd = -1 };
		}
	}
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	and $-16, %rsp\n"
	"	call run\n");
