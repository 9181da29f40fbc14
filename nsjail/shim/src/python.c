/*
 * CPython binding: the module _safe_exec. lockdown(bytes) -> int raises
 * OSError(errno, step); the rest is the import policy's, see format.c and
 * watch.c.
 */
#include "lockdown.h"
#include "python.h"

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

/* type_changed(type): somebody has written to the type's own table. */
static PyObject *type_changed(PyObject *self, PyObject *type)
{
	(void)self;
	PyType_Modified(type);
	return none();
}

static struct method methods[] = {
	{ "lockdown", lockdown, METH_O, "Load the steady filter on all threads; return its listener." },
	{ "guard_format", safe_exec_guard_format, METH_VARARGS,
	  "Let str.format and str.format_map ask before they read an attribute." },
	{ "type_changed", type_changed, METH_O, "Forget what is remembered of a type's attributes." },
	{ "watch", safe_exec_watch, METH_VARARGS,
	  "End the process on audit events that no allowed program causes." },
	{ "permit", safe_exec_permit, METH_O, "Let the harness cause one of these events, or no longer." },
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
