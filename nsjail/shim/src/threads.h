/*
 * Threads that live on in a copy of the process. The template holds them once,
 * before it serves; each copy lets them go on.
 */
#ifndef SAFE_EXEC_THREADS_H
#define SAFE_EXEC_THREADS_H

/*
 * Holds every other thread that takes signals, once it waits for work. proc is a
 * directory descriptor of /proc. Needs Linux 3.5 with CONFIG_CHECKPOINT_RESTORE
 * (PR_GET_TID_ADDRESS; ENOSYS without). Returns 0 or a negative errno, EBUSY for
 * threads that do not come to rest in two seconds.
 */
int safe_exec_hold_threads(int proc);

/*
 * In a copy: lets those go on that waited on a futex. What is dropped of the
 * process before this call is dropped for them too. Returns 0 or a negative
 * errno, with some of them running.
 */
int safe_exec_resume_threads(void);

#endif
