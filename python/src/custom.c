// SPDX-License-Identifier: Apache-2.0
#include "custom.h"

#include "dtype.h"
#include "support.h"

static const char* const names[] = {CUSTOM_NAMES};

int custom_read(const char* function, PyObject* const* values, CustomOperation* custom) {
    static const CustomOperation usual = {
        .operation = {.result = JITUNE_FLOAT32, .tolerance = 1e-3}};
    const char* texts[kCustomTexts] = {NULL};
    *custom = usual;
    for (int i = 0; i < kCustomTexts; ++i) {
        if (values[i] == NULL || values[i] == Py_None) {
            continue;
        }
        custom->texts[i] = PyUnicode_Check(values[i]) ? PyUnicode_AsUTF8String(values[i]) : NULL;
        if (custom->texts[i] == NULL && !PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "%s: %s must be a text", function, names[i]);
        }
        texts[i] = bytes_text(custom->texts[i]);
        if (texts[i] == NULL) {
            return -1;
        }
    }
    jitune_custom_operation* operation = &custom->operation;
    operation->name = texts[0];
    operation->definitions = texts[1];
    operation->state = texts[2];
    operation->identity = texts[3];
    operation->map = texts[4];
    operation->combine = texts[5];
    operation->finish = texts[6];
    PyObject *result = values[kCustomTexts], *tolerance = values[kCustomTexts + 1];
    if (tolerance != NULL) {
        operation->tolerance = PyFloat_AsDouble(tolerance);
    }
    return PyErr_Occurred() || (result != NULL &&
                                type_of_dtype(result, &operation->result, &custom->is_bool) != 0)
               ? -1
               : 0;
}

int custom_read_dict(const char* function, PyObject* dict, CustomOperation* custom) {
    PyObject* values[kCustomValues] = {NULL};
    Py_ssize_t known = 0;
    for (int i = 0; PyDict_Check(dict) && i < kCustomValues; ++i) {
        values[i] = PyDict_GetItemString(dict, names[i]);
        known += values[i] != NULL;
    }
    const int result = custom_read(function, values, custom);
    if (result == 0 && (!PyDict_Check(dict) || known != PyDict_Size(dict))) {
        PyErr_Format(PyExc_TypeError,
                     "%s: an operation is a dict of arguments of custom_reduce, such as name, "
                     "state, identity, map and combine, not %R",
                     function, dict);
        return -1;
    }
    return result;
}

void custom_release(CustomOperation* custom) {
    for (int i = 0; i < kCustomTexts; ++i) {
        Py_CLEAR(custom->texts[i]);
    }
}
