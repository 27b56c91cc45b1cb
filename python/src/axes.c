// SPDX-License-Identifier: Apache-2.0
#include "axes.h"

static int add_axis(const char* function, PyObject* object, int ndim, uint64_t* axes) {
    const Py_ssize_t axis = PyNumber_AsSsize_t(object, PyExc_IndexError);
    if (axis == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (axis < -ndim || axis >= ndim) {
        PyErr_Format(PyExc_ValueError, "%s: axis %zd of an array with %d dimensions", function,
                     axis, ndim);
        return -1;
    }
    const uint64_t bit = (uint64_t)1 << (axis < 0 ? axis + ndim : axis);
    if ((*axes & bit) != 0) {
        PyErr_Format(PyExc_ValueError, "%s: axis %zd is named twice", function, axis);
        return -1;
    }
    *axes |= bit;
    return 0;
}

int axes_read(const char* function, PyObject* axis, int ndim, uint64_t* axes) {
    *axes = 0;
    if (axis == NULL || axis == Py_None) {
        *axes = ndim == 64 ? ~(uint64_t)0 : ((uint64_t)1 << ndim) - 1;
        return 0;
    }
    if (!PyTuple_Check(axis)) {
        return add_axis(function, axis, ndim, axes);
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(axis); ++i) {
        if (add_axis(function, PyTuple_GetItem(axis, i), ndim, axes) != 0) {
            return -1;
        }
    }
    return 0;
}
