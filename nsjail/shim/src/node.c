/*
 * Node-API binding: the addon safe_exec. Its functions throw an Error whose code
 * is the errno's number and whose message is the step.
 *
 *	lockdown(Buffer) -> number	loads the filter, gives its listener
 *	endFast(exit info)		see fastend.c
 *	setOrigin() -> number		see fastend.c
 *	serveForks(orders, proc, own)	see nodefork.c
 */
#include "lockdown.h"
#include "node.h"

#include <stdio.h>
#include <string.h>

napi_value safe_exec_throw(napi_env env, int error, const char *step)
{
	char code[12];

	snprintf(code, sizeof(code), "%d", -error);
	napi_throw_error(env, code, step);
	return NULL;
}

static napi_value lockdown(napi_env env, napi_callback_info info)
{
	const char *step;
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
	if (fd < 0)
		return safe_exec_throw(env, fd, step);
	return napi_create_int32(env, fd, &listener) == napi_ok ? listener : NULL;
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env,
									   napi_value exports);

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
	static const struct {
		const char *name;
		napi_callback call;
	} functions[] = {
		{ "lockdown", lockdown },
		{ "endFast", safe_exec_end_fast },
		{ "setOrigin", safe_exec_set_origin },
		{ "serveForks", safe_exec_serve },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const char *name = functions[i].name;
		napi_value function;

		if (napi_create_function(env, name, strlen(name), functions[i].call, NULL,
					 &function) != napi_ok ||
		    napi_set_named_property(env, exports, name, function) != napi_ok)
			return NULL;
	}
	return exports;
}
