/*
 * The import policy's audit hook (PEP 578). It ends the process on events that
 * a program can cause only by having gone past the policy. It is in C since it
 * is called on every event, and since a hook in Python is an object that a
 * program can find and change. It can be deceived by native code like all that
 * is in the process: the kernel layers do not depend on it.
 */
#include "python.h"

#include <string.h>
#include <unistd.h>

enum { POLICY_VIOLATION = 92 }; /* exit status */

static PyObject *output; /* the stream to flush at the end */
static PyObject *roots; /* tuple of directories in which files may be read, the first also written */
static const char *permitted; /* the event that the harness itself is about to cause, or NULL */

/* Beginnings of the events that end the run. */
static const char *const ending[] = {
	"builtins.breakpoint", "code.__new__", "cpython.remote", "cpython.run_", "ctypes.", "ensurepip.",
	"fcntl.", "ftplib.", "function.__new__", "gc.", "glob.", "http.", "imaplib.", "mmap.", "msvcrt.",
	"nntplib.", "os.", "pdb.", "pickle.", "poplib.", "pty.", "resource.", "setopencodehook", "shutil.",
	"signal.", "smtplib.", "socket.", "sqlite3.", "subprocess.", "sys._current_", "sys.addaudithook",
	"sys.remote_exec", "sys.setprofile", "sys.settrace", "syslog.", "telnetlib.", "tempfile.",
	"urllib.", "webbrowser.", "winreg.",
};

/* Events among them that the library causes by itself: the import system and
 * the time zones list directories. */
static const char *const library[] = { "os.fwalk", "os.listdir", "os.scandir", "os.walk" };

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static __attribute__((noreturn)) void end(const char *what, const char *which)
{
	static const char before[] = "PolicyViolation: the program went past the import policy (", after[] = "); the run is ended\n";
	PyObject *flushed = PyObject_CallMethod(output, "flush", NULL);
	char line[512] = "";

	(void)flushed;
	strncat(line, before, sizeof(line) - 1);
	strncat(line, what, 100);
	if (*which != '\0')
		strncat(line, " ", 2);
	strncat(line, which, 200);
	strncat(line, after, sizeof(line) - strlen(line) - 1);
	if (write(STDERR_FILENO, line, strlen(line)) < 0) {
		/* Nobody reads it: the status says it as well. */
	}
	_exit(POLICY_VIOLATION);
}

/* Says whether an event is about a path below the working directory. */
static int is_below(PyObject *args)
{
	ssize_t size;
	const char *path = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, 0), &size);

	PyErr_Clear();
	return path != NULL && strlen(path) == (size_t)size && path[0] != '/' && strstr(path, "..") == NULL;
}

/* Says whether a path may be opened: one below a root, without a way up. */
static int may_open(PyObject *args)
{
	const char *path, *root;
	ssize_t size, length;
	long flags;
	int i;

	if ((path = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, 0), &size)) == NULL) {
		PyErr_Clear();
		/* A descriptor: there are three, and they are the program's own. */
		flags = PyLong_AsLong(PyTuple_GetItem(args, 0));
		PyErr_Clear();
		return flags >= 0;
	}
	flags = PyLong_AsLong(PyTuple_GetItem(args, 2));
	PyErr_Clear();
	if (strlen(path) != (size_t)size || strstr(path, "/..") != NULL || begins(path, ".."))
		return 0;
	if (path[0] != '/')
		return 1;
	for (i = 0; (root = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(roots, i), &length)) != NULL; i++) {
		if (begins(path, root))
			return i == 0 || (flags & 3) == 0; /* O_RDONLY */
		if (PyTuple_GetItem(roots, i + 1) == NULL)
			break;
	}
	PyErr_Clear();
	return 0;
}

static int watch(const char *event, PyObject *args, void *data)
{
	size_t i;

	(void)data;
	if (strcmp(event, "open") == 0) {
		const char *path;

		if (may_open(args))
			return 0;
		path = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, 0), NULL);
		PyErr_Clear();
		end(event, path != NULL ? path : "");
	}
	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (event[0] == ending[i][0] && begins(event, ending[i]))
			break;
	if (i == sizeof(ending) / sizeof(ending[0]))
		return 0;
	for (i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (strcmp(event, library[i]) == 0)
			return 0;
	if (permitted != NULL && strcmp(event, permitted) == 0)
		return 0;
	/* The module workdir makes directories and removes files. */
	if ((strcmp(event, "os.mkdir") == 0 || strcmp(event, "os.remove") == 0) && is_below(args))
		return 0;
	/* An event loop wakes itself through a pair of Unix sockets. */
	if (strcmp(event, "socket.__new__") == 0 && PyLong_AsLong(PyTuple_GetItem(args, 1)) == 1)
		return 0;
	end(event, "");
}

/* watch(output, roots) */
PyObject *safe_exec_watch(PyObject *self, PyObject *args)
{
	(void)self;
	if (output != NULL)
		end("a second watch", ""); /* before it has changed anything */
	if (!PyArg_ParseTuple(args, "OO", &output, &roots))
		return NULL;
	Py_IncRef(output);
	Py_IncRef(roots);
	return PySys_AddAuditHook(watch, NULL) == 0 ? none() : NULL;
}

/* permit(event): None for no event any more */
PyObject *safe_exec_permit(PyObject *self, PyObject *event)
{
	(void)self;
	permitted = NULL;
	if (event != &_Py_NoneStruct) {
		/* A constant of the harness's code: its text lives as long as the process. */
		permitted = PyUnicode_AsUTF8AndSize(event, NULL);
		if (permitted == NULL)
			return NULL;
	}
	return none();
}
