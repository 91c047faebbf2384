/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of training.hip for Python, as an extension in C. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

void *make_block(size_t bytes, int managed);
int forward(const float *numbers, double *sum, int count);
int backward(float *numbers, float factor, int count);

static PyObject *py_make_block(PyObject *self, PyObject *arguments)
{
	Py_ssize_t bytes;
	int managed;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ni", &bytes, &managed))
		return NULL;
	return PyLong_FromVoidPtr(make_block((size_t)bytes, managed));
}

static PyObject *py_forward(PyObject *self, PyObject *arguments)
{
	unsigned long long numbers, sum;
	int count;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "KKi", &numbers, &sum, &count))
		return NULL;
	return PyLong_FromLong(
	    forward((const float *)(uintptr_t)numbers, (double *)(uintptr_t)sum, count));
}

static PyObject *py_backward(PyObject *self, PyObject *arguments)
{
	unsigned long long numbers;
	float factor;
	int count;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "Kfi", &numbers, &factor, &count))
		return NULL;
	return PyLong_FromLong(backward((float *)(uintptr_t)numbers, factor, count));
}

static PyMethodDef methods[] = {
	{ "make_block", py_make_block, METH_VARARGS, NULL },
	{ "forward", py_forward, METH_VARARGS, NULL },
	{ "backward", py_backward, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "training_extension", NULL, -1, methods, NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit_training_extension(void)
{
	return PyModule_Create(&module);
}
