// SPDX-License-Identifier: Apache-2.0
// CPython's stable interface of 3.10, and of buffers: they joined it in 3.11, with the struct and
// functions that 3.10 has, too.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if Py_LIMITED_API + 0 < 0x030B0000
typedef struct {
    void* buf;
    PyObject* obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char* format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void* internal;
} Py_buffer;

int PyObject_CheckBuffer(PyObject* object);
int PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);
void PyBuffer_Release(Py_buffer* view);

#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_RECORDS_RO (PyBUF_STRIDES | PyBUF_FORMAT)
#endif
