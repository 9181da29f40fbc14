/*
 * CPython binding: the module _safe_exec. lockdown(bytes) -> int raises
 * OSError(errno, step), serve_forks(orders, proc) -> None returns in a forked
 * payload or raises OSError(errno, "serve forks"); the rest is the import policy's, see format.c and
 * watch.c.
 */
#include "fork.h"
#include "lockdown.h"
#include "python.h"

static PyObject *os_error(int number, const char *step)
{
	PyObject *args = Py_BuildValue("(is)", number, step);

	if (args != NULL) {
		PyErr_SetObject(PyExc_OSError, args);
		Py_DecRef(args);
	}
	return NULL;
}

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
	return fd < 0 ? os_error(-fd, step) : PyLong_FromLong(fd);
}

static PyObject *serve_forks(PyObject *self, PyObject *args)
{
	int orders, proc, result;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii", &orders, &proc))
		return NULL;
	safe_exec_collapse(proc);
	/* Once for all forks: until it is one, this process does nothing else. */
	PyOS_BeforeFork();
	result = safe_exec_serve_forks(orders, proc, NULL);
	if (result < 0)
		return os_error(-result, "serve forks");
	PyOS_AfterFork_Child();
	return none();
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
	{ "serve_forks", serve_forks, METH_VARARGS, "Fork jails to order; return in each." },
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
