/*
 * Node-API binding: the addon safe_exec with lockdown(Buffer) -> number,
 * throwing an Error whose code is the errno's number and whose message is the
 * step.
 *
 * The few declarations below are Node-API version 1, stable since Node 8, so
 * that building needs no Node headers.
 */
#include "lockdown.h"

#include <stdio.h>

typedef struct env *napi_env;
typedef struct value *napi_value;
typedef struct info *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef int napi_status;

enum { napi_ok = 0 };

extern napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *,
				    napi_value *, void **);
extern napi_status napi_get_buffer_info(napi_env, napi_value, void **, size_t *);
extern napi_status napi_is_buffer(napi_env, napi_value, _Bool *);
extern napi_status napi_create_int32(napi_env, int, napi_value *);
extern napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *,
					napi_value *);
extern napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
extern napi_status napi_throw_error(napi_env, const char *, const char *);
extern napi_status napi_throw_type_error(napi_env, const char *, const char *);

static napi_value lockdown(napi_env env, napi_callback_info info)
{
	const char *step;
	char code[12];
	size_t count = 1, size;
	napi_value program, listener;
	_Bool buffer = 0;
	void *bytes;
	int fd;

	if (napi_get_cb_info(env, info, &count, &program, NULL, NULL) != napi_ok || count != 1 ||
	    napi_is_buffer(env, program, &buffer) != napi_ok || !buffer ||
	    napi_get_buffer_info(env, program, &bytes, &size) != napi_ok) {
		napi_throw_type_error(env, NULL, "lockdown takes one Buffer");
		return NULL;
	}
	fd = safe_exec_lockdown(bytes, size, &step);
	if (fd < 0) {
		snprintf(code, sizeof(code), "%d", -fd);
		napi_throw_error(env, code, step);
		return NULL;
	}
	return napi_create_int32(env, fd, &listener) == napi_ok ? listener : NULL;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env,
									   napi_value exports);

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
	napi_value function;

	if (napi_create_function(env, "lockdown", 8, lockdown, NULL, &function) != napi_ok ||
	    napi_set_named_property(env, exports, "lockdown", function) != napi_ok)
		return NULL;
	return exports;
}
