/*
 * str.format and str.format_map read the attributes that a text names, and the
 * error of one that is missing carries the object before it. The text may be
 * put together at run time, so the check of the program's tree cannot see it;
 * and the methods are the type's own, reachable on every way, so that they are
 * replaced in the type and not in what a program is handed.
 */
#include "python.h"

static PyObject *format, *format_map; /* the type's own */
static PyObject *check; /* raises if a text names a refused attribute */

/* Letters that refused attributes begin with. "{:.2f}", by far the commonest
 * dot, names no attribute. */
static int begins_name(unsigned c)
{
	return c == '_' || (c >= 'a' && c <= 'z');
}

/* 0 if the text may be formatted, -1 with an exception set. */
static int ask(PyObject *text)
{
	ssize_t at = -1, length = PyUnicode_GetLength(text);

	while ((at = PyUnicode_FindChar(text, '.', at + 1, length, 1)) >= 0)
		if (at + 1 < length && begins_name(PyUnicode_ReadChar(text, at + 1))) {
			PyObject *answer = PyObject_CallFunctionObjArgs(check, text, NULL);

			if (answer == NULL)
				return -1;
			Py_DecRef(answer);
			return 0;
		}
	return at == -1 ? 0 : -1;
}

static PyObject *guarded_format(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *first, *all, *result;

	if (ask(self) != 0)
		return NULL;
	first = Py_BuildValue("(O)", self);
	if (first == NULL)
		return NULL;
	all = PySequence_Concat(first, args);
	Py_DecRef(first);
	if (all == NULL)
		return NULL;
	result = PyObject_Call(format, all, keywords);
	Py_DecRef(all);
	return result;
}

static PyObject *guarded_format_map(PyObject *self, PyObject *mapping)
{
	return ask(self) == 0 ? PyObject_CallFunctionObjArgs(format_map, self, mapping, NULL) : NULL;
}

static struct method replacements[] = {
	{ "format", (PyCFunction)(void (*)(void))guarded_format, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "format_map", guarded_format_map, METH_O, NULL },
};

static PyObject *replace(PyObject *dict, struct method *with)
{
	PyObject *own = PyDict_GetItemString(dict, with->name), *doc, *method;

	if (own == NULL)
		return NULL;
	Py_IncRef(own);
	/* The text lives as long as the process: its object is never given up. */
	doc = PyObject_GetAttrString(own, "__doc__");
	if (doc == NULL || (with->doc = PyUnicode_AsUTF8AndSize(doc, NULL)) == NULL)
		return NULL;
	method = PyDescr_NewMethod(&PyUnicode_Type, with);
	if (method == NULL || PyDict_SetItemString(dict, with->name, method) != 0)
		return NULL;
	Py_DecRef(method);
	return own;
}

/* guard_format(dict of the type str, check) */
PyObject *safe_exec_guard_format(PyObject *self, PyObject *args)
{
	PyObject *dict;

	(void)self;
	if (!PyArg_ParseTuple(args, "OO", &dict, &check))
		return NULL;
	Py_IncRef(check);
	format = replace(dict, &replacements[0]);
	format_map = format == NULL ? NULL : replace(dict, &replacements[1]);
	PyType_Modified(&PyUnicode_Type);
	return format_map == NULL ? NULL : none();
}
