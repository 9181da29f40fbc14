/*
 * What the Node binding's files share. The declarations are Node-API, versions 1
 * and 3, stable since Node 8 and 10, so that building needs no Node headers.
 */
#ifndef SAFE_EXEC_NODE_H
#define SAFE_EXEC_NODE_H

#include <stddef.h>

typedef struct env *napi_env;
typedef struct value *napi_value;
typedef struct info *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef int napi_status;
typedef int napi_typedarray_type;

enum { napi_ok = 0, napi_int32_array = 5 };

extern napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *,
				    napi_value *, void **);
extern napi_status napi_get_buffer_info(napi_env, napi_value, void **, size_t *);
extern napi_status napi_get_typedarray_info(napi_env, napi_value, napi_typedarray_type *, size_t *,
					    void **, napi_value *, size_t *);
extern napi_status napi_get_value_int32(napi_env, napi_value, int *);
extern napi_status napi_get_value_double(napi_env, napi_value, double *);
extern napi_status napi_is_buffer(napi_env, napi_value, _Bool *);
extern napi_status napi_create_int32(napi_env, int, napi_value *);
extern napi_status napi_create_double(napi_env, double, napi_value *);
extern napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *,
					napi_value *);
extern napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
extern napi_status napi_throw_error(napi_env, const char *, const char *);
extern napi_status napi_throw_type_error(napi_env, const char *, const char *);
extern napi_status napi_add_env_cleanup_hook(napi_env, void (*)(void *), void *);

/* Throws the negative errno and the step; gives NULL, for the caller to return. */
napi_value safe_exec_throw(napi_env env, int error, const char *step);

napi_value safe_exec_end_fast(napi_env env, napi_callback_info info);
napi_value safe_exec_set_origin(napi_env env, napi_callback_info info);
napi_value safe_exec_serve(napi_env env, napi_callback_info info);

/*
 * The engine's own object of this thread, for its embedding interface, or NULL
 * where this build of Node lacks a part of that.
 */
void *safe_exec_environment(void);

#endif
