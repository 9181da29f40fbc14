/*
 * The part of CPython's stable ABI (builds with the GIL) that the binding
 * needs, so that building needs no Python headers and one file serves every
 * version. PySys_AddAuditHook is no part of the stable ABI before 3.13, but
 * has been exported with this signature since 3.8.
 */
#ifndef SAFE_EXEC_PYTHON_H
#define SAFE_EXEC_PYTHON_H

#include <stddef.h>
#include <sys/types.h>

typedef struct object PyObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef int (*audit_hook)(const char *, PyObject *, void *);

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

enum { METH_VARARGS = 0x0001, METH_KEYWORDS = 0x0002, METH_O = 0x0008, PYTHON_ABI_VERSION = 3 };

extern PyObject *PyExc_OSError;
extern struct object PyUnicode_Type, _Py_NoneStruct;

extern int PyArg_ParseTuple(PyObject *, const char *, ...);
extern int PyBytes_AsStringAndSize(PyObject *, char **, ssize_t *);
extern PyObject *PyDescr_NewMethod(PyObject *, struct method *);
extern PyObject *PyDict_GetItemString(PyObject *, const char *);
extern int PyDict_SetItemString(PyObject *, const char *, PyObject *);
extern void PyErr_Clear(void);
extern void PyErr_SetObject(PyObject *, PyObject *);
extern long PyLong_AsLong(PyObject *);
extern PyObject *PyLong_FromLong(long);
extern PyObject *PyModule_Create2(struct module *, int);
extern void PyOS_AfterFork_Child(void);
extern void PyOS_BeforeFork(void);
extern PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *);
extern PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
extern PyObject *PyObject_CallMethod(PyObject *, const char *, const char *, ...);
extern PyObject *PyObject_GetAttrString(PyObject *, const char *);
extern PyObject *PySequence_Concat(PyObject *, PyObject *);
extern int PySys_AddAuditHook(audit_hook, void *);
extern PyObject *PyTuple_GetItem(PyObject *, ssize_t);
extern void PyType_Modified(PyObject *);
extern PyObject *PyUnicode_AsEncodedString(PyObject *, const char *, const char *);
extern const char *PyUnicode_AsUTF8AndSize(PyObject *, ssize_t *);
extern ssize_t PyUnicode_FindChar(PyObject *, unsigned, ssize_t, ssize_t, int);
extern ssize_t PyUnicode_GetLength(PyObject *);
extern unsigned PyUnicode_ReadChar(PyObject *, ssize_t);
extern ssize_t PyUnicode_Tailmatch(PyObject *, PyObject *, ssize_t, ssize_t, int);
extern PyObject *Py_BuildValue(const char *, ...);
extern void Py_DecRef(PyObject *);
extern void Py_IncRef(PyObject *);

static inline PyObject *none(void)
{
	Py_IncRef(&_Py_NoneStruct);
	return &_Py_NoneStruct;
}

PyObject *safe_exec_guard_format(PyObject *self, PyObject *args);
PyObject *safe_exec_watch(PyObject *self, PyObject *args);
PyObject *safe_exec_permit(PyObject *self, PyObject *event);

#endif
