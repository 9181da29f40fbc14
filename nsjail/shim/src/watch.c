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

/* The rule of paths, in the words of the module workdir. */
static const char outside[] = "a program has the files of its working directory only, by relative paths";

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

/* Ends the run. why is the rule that a path broke, or NULL. */
static __attribute__((noreturn)) void end(const char *what, PyObject *path, const char *why)
{
	static const char before[] = "PolicyViolation: the program went past the import policy (", after[] = "); the run is ended\n";
	PyObject *flushed = PyObject_CallMethod(output, "flush", NULL), *shown = NULL;
	char line[512] = "", *which;
	ssize_t size;

	(void)flushed;
	if (path != NULL)
		shown = PyUnicode_AsEncodedString(path, "ascii", "backslashreplace");
	strncat(line, before, sizeof(line) - 1);
	strncat(line, what, 100);
	if (shown != NULL && PyBytes_AsStringAndSize(shown, &which, &size) == 0) {
		strncat(line, " ", 2);
		strncat(line, which, 200);
	}
	if (why != NULL) {
		strncat(line, ": ", 3);
		strncat(line, why, 100);
	}
	strncat(line, after, sizeof(line) - strlen(line) - 1);
	if (write(STDERR_FILENO, line, strlen(line)) < 0) {
		/* Nobody reads it: the status says it as well. */
	}
	_exit(POLICY_VIOLATION);
}

/* Says whether a path leads up or is none: it has a component "..", or a NUL. It is
 * looked at as text, since not every name has a form in UTF-8. */
static int leads_up(PyObject *path, ssize_t length)
{
	ssize_t at, first = 0; /* of a component */

	for (at = 0; at <= length; at++) {
		unsigned c = at < length ? PyUnicode_ReadChar(path, at) : '/';

		if (c == 0)
			return 1;
		if (c != '/')
			continue;
		if (at - first == 2 && PyUnicode_ReadChar(path, first) == '.' && PyUnicode_ReadChar(path, first + 1) == '.')
			return 1;
		first = at + 1;
	}
	return 0;
}

/* The number of characters of a text, or -1 of what is none. */
static ssize_t length_of(PyObject *path)
{
	ssize_t length = PyUnicode_GetLength(path);

	PyErr_Clear();
	return length;
}

static int is_relative(PyObject *path, ssize_t length)
{
	return length == 0 || PyUnicode_ReadChar(path, 0) != '/';
}

/* Says whether an event is about a path below the working directory. */
static int is_below(PyObject *args)
{
	PyObject *path = PyTuple_GetItem(args, 0);
	ssize_t length = length_of(path);

	return length >= 0 && !leads_up(path, length) && is_relative(path, length);
}

/* Says whether a path may be opened: one below a root, without a way up. */
static int may_open(PyObject *args)
{
	PyObject *path = PyTuple_GetItem(args, 0), *root;
	ssize_t length = length_of(path), i;
	long flags;

	if (length < 0) {
		/* A descriptor: there are three, and they are the program's own. */
		flags = PyLong_AsLong(path);
		PyErr_Clear();
		return flags >= 0;
	}
	if (leads_up(path, length))
		return 0;
	if (is_relative(path, length))
		return 1;
	flags = PyLong_AsLong(PyTuple_GetItem(args, 2));
	PyErr_Clear();
	/* A root ends in a slash, so that this is by components. */
	for (i = 0; (root = PyTuple_GetItem(roots, i)) != NULL; i++)
		if (PyUnicode_Tailmatch(path, root, 0, length, -1) == 1)
			return i == 0 || (flags & 3) == 0; /* O_RDONLY */
	PyErr_Clear();
	return 0;
}

static int watch(const char *event, PyObject *args, void *data)
{
	size_t i;

	(void)data;
	if (strcmp(event, "open") == 0) {
		if (may_open(args))
			return 0;
		end(event, PyTuple_GetItem(args, 0), outside);
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
	if (strcmp(event, "os.mkdir") == 0 || strcmp(event, "os.remove") == 0) {
		if (is_below(args))
			return 0;
		end(event, PyTuple_GetItem(args, 0), outside);
	}
	/* An event loop wakes itself through a pair of Unix sockets. */
	if (strcmp(event, "socket.__new__") == 0 && PyLong_AsLong(PyTuple_GetItem(args, 1)) == 1)
		return 0;
	end(event, NULL, NULL);
}

/* watch(output, roots) */
PyObject *safe_exec_watch(PyObject *self, PyObject *args)
{
	(void)self;
	if (output != NULL)
		end("a second watch", NULL, NULL); /* before it has changed anything */
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
