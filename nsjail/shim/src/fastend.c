/*
 * The end of a run in Node, and its beginning on the engine's clock.
 *
 * After the last of the program's own code the engine takes itself apart: it
 * frees the heap object by object and joins its threads. Nothing of that can be
 * seen from outside a process that ends, so it ends there. In a fork it must:
 * the threads are not there to be joined.
 */
#include "node.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* Of Node's embedding interface, in C++. Weak, for where a build has them not. */
extern void *isolate(void) __asm__("_ZN2v87Isolate10GetCurrentEv") __attribute__((weak));
extern void *context(void *) __asm__("_ZN2v87Isolate17GetCurrentContextEv") __attribute__((weak));
extern void *environment(void *)
	__asm__("_ZN4node21GetCurrentEnvironmentEN2v85LocalINS0_7ContextEEE") __attribute__((weak));

/* A std::function of libstdc++. */
struct function {
	void *functor[2];
	_Bool (*manage)(void *to, const void *from, int operation);
	void (*call)(const void *functor, void **env, int *status);
};

extern void set_exit_handler(void *, struct function *)
	__asm__("_ZN4node21SetProcessExitHandlerEPNS_11EnvironmentEOSt8functionIFvS1_iEE")
		__attribute__((weak));

enum { EXIT_CODE = 1, HAS_EXIT_CODE = 2 }; /* places in the engine's exit info */

void *safe_exec_environment(void)
{
	if (isolate == NULL || context == NULL || environment == NULL || set_exit_handler == NULL)
		return NULL;
	return environment(context(isolate()));
}

static _Bool manage(void *to, const void *from, int operation)
{
	(void)to, (void)from, (void)operation; /* it holds nothing */
	return 0;
}

static void leave(const void *functor, void **env, int *status)
{
	(void)functor, (void)env;
	_exit(*status);
}

/* Called after the last event, when the engine begins to free. */
static void leave_at_end(void *exit_info)
{
	const int *info = exit_info;

	_exit(info[HAS_EXIT_CODE] ? info[EXIT_CODE] : 0);
}

/*
 * endFast(exit info): from here on the process ends where the engine would take
 * itself apart. The exit info is the engine's own array of what process.exitCode
 * is.
 */
napi_value safe_exec_end_fast(napi_env env, napi_callback_info info)
{
	struct function handler = { { NULL, NULL }, manage, leave };
	napi_typedarray_type type;
	size_t count = 1, length;
	napi_value array;
	void *exit_info;

	if (napi_get_cb_info(env, info, &count, &array, NULL, NULL) != napi_ok || count != 1 ||
	    napi_get_typedarray_info(env, array, &type, &length, &exit_info, NULL, NULL) != napi_ok ||
	    type != napi_int32_array || length <= HAS_EXIT_CODE) {
		napi_throw_type_error(env, NULL, "endFast takes the exit info");
		return NULL;
	}
	if (safe_exec_environment() != NULL)
		set_exit_handler(safe_exec_environment(), &handler);
	if (napi_add_env_cleanup_hook(env, leave_at_end, exit_info) != napi_ok)
		return safe_exec_throw(env, -EINVAL, "add the hook of the end");
	return NULL;
}

/* Where the engine counts from: nanoseconds of the monotonic clock. */
extern uint64_t performance_start __asm__("_ZN4node11performance25performance_process_startE")
	__attribute__((weak));
extern uint64_t node_start __asm__("_ZN4node11per_process15node_start_timeE") __attribute__((weak));

/*
 * setOrigin() -> number: has performance.now and process.uptime count from now
 * on, which it gives; 0 where this engine keeps its origin elsewhere.
 */
napi_value safe_exec_set_origin(napi_env env, napi_callback_info info)
{
	struct timespec now;
	uint64_t origin = 0;
	napi_value value;

	(void)info;
	if (&performance_start != NULL && &node_start != NULL) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		origin = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		performance_start = node_start = origin;
	}
	return napi_create_double(env, (double)origin, &value) == napi_ok ? value : NULL;
}
