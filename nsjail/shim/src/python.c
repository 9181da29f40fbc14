/*
 * CPython binding: the module _safe_exec with lockdown(bytes) -> int, raising
 * OSError(errno, step).
 *
 * The few declarations below are part of CPython's stable ABI (3.2 and later,
 * builds with the GIL), so that building needs no Python headers and one file
 * serves every version.
 */
#include "lockdown.h"

#include <stddef.h>
#include <sys/types.h>

typedef struct object PyObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);

struct object {
	ssize_t refcount;
	void *type;
};

struct method {
	const char *name;
	PyCFunction function;
	int flags;
	const char *doc;
};

struct module {
	struct {
		PyObject object;
		PyObject *(*init)(void);
		ssize_t index;
		PyObject *copy;
	} base;
	const char *name;
	const char *doc;
	ssize_t size;
	struct method *methods;
	void *slots, *traverse, *clear, *free;
};

enum { METH_O = 0x0008, PYTHON_ABI_VERSION = 3 };

extern PyObject *PyExc_OSError;
extern int PyBytes_AsStringAndSize(PyObject *, char **, ssize_t *);
extern PyObject *PyLong_FromLong(long);
extern PyObject *Py_BuildValue(const char *, ...);
extern void PyErr_SetObject(PyObject *, PyObject *);
extern void Py_DecRef(PyObject *);
extern PyObject *PyModule_Create2(struct module *, int);

static PyObject *lockdown(PyObject *self, PyObject *program)
{
	const char *step;
	char *bytes;
	ssize_t size;
	int fd;

	(void)self;
	if (PyBytes_AsStringAndSize(program, &bytes, &size) != 0)
		return NULL;
	fd = safe_exec_lockdown(bytes, (size_t)size, &step);
	if (fd < 0) {
		PyObject *args = Py_BuildValue("(is)", -fd, step);

		if (args != NULL) {
			PyErr_SetObject(PyExc_OSError, args);
			Py_DecRef(args);
		}
		return NULL;
	}
	return PyLong_FromLong(fd);
}

static struct method methods[] = {
	{ "lockdown", lockdown, METH_O, "Load the steady filter on all threads; return its listener." },
	{ NULL, NULL, 0, NULL },
};

static struct module definition = {
	.base = { .object = { 1, NULL } },
	.name = "_safe_exec",
	.size = -1,
	.methods = methods,
};

__attribute__((visibility("default"))) PyObject *PyInit__safe_exec(void);

PyObject *PyInit__safe_exec(void)
{
	return PyModule_Create2(&definition, PYTHON_ABI_VERSION);
}
