// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <stdarg.h>
#include <string.h>

ModuleState module_state;

PyObject* raise_status(jitune_status status) {
    PyObject* type = module_state.errors[status];
    const jitune_native_code code = jitune_last_native_code();
    const char* text = jitune_last_message();
    PyObject* message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text),
                                             "backslashreplace");  // paths may be any bytes
    PyObject* error = message == NULL ? NULL : PyObject_CallFunctionObjArgs(type, message, NULL);
    Py_XDECREF(message);
    PyObject* native = Py_BuildValue("(ii)", (int)code.source, code.value);
    if (error != NULL && native != NULL &&
        PyObject_SetAttrString(error, "native_code", native) == 0) {
        PyErr_SetObject(type, error);
    }
    Py_XDECREF(native);
    Py_XDECREF(error);
    return NULL;
}

// Places of keywords that have been found before: those of a call are the same objects each time.
enum { kPlaces = 128 };
static struct {
    PyObject* keyword;  // kept alive
    const char* const* names;
    int place;
} places[kPlaces];

static int place_of(PyObject* keyword, const char* const* names) {
    const size_t home = (((uintptr_t)keyword >> 4) + ((uintptr_t)names >> 3)) % kPlaces;
    if (places[home].keyword == keyword && places[home].names == names) {
        return places[home].place;
    }
    for (int i = 0; names[i] != NULL; ++i) {
        if (PyUnicode_CompareWithASCIIString(keyword, names[i]) == 0) {
            if (places[home].keyword == NULL) {
                Py_INCREF(keyword);
                places[home].keyword = keyword;
                places[home].names = names;
                places[home].place = i;
            }
            return i;
        }
    }
    return -1;
}

int read_arguments(const char* function, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords, const char* const* names, int positional,
                   PyObject** values) {
    if (count > positional) {
        PyErr_Format(PyExc_TypeError, "%s takes at most %d positional arguments, not %zd", function,
                     positional, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        values[i] = arguments[i];
    }
    const Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* keyword = PyTuple_GetItem(keywords, i);
        const int place = place_of(keyword, names);
        if (place < 0 || place < count) {
            PyErr_Format(PyExc_TypeError,
                         place < 0 ? "%s has no argument %R" : "%s: argument %R is given twice",
                         function, keyword);
            return -1;
        }
        values[place] = arguments[count + i];
    }
    return 0;
}

PyObject* call_helper(const char* name, const char* format, ...) {
    PyObject* function = PyObject_GetAttrString(module_state.helpers, name);
    va_list list;
    va_start(list, format);
    PyObject* arguments = function == NULL ? NULL : Py_VaBuildValue(format, list);
    va_end(list);
    PyObject* result = arguments == NULL ? NULL : PyObject_CallObject(function, arguments);
    Py_XDECREF(arguments);
    Py_XDECREF(function);
    return result;
}

const char* bytes_text(PyObject* bytes) {
    char* text = NULL;
    return bytes == NULL || PyBytes_AsStringAndSize(bytes, &text, NULL) != 0 ? NULL : text;
}

int64_t integer_of(PyObject* object) {
    const int64_t value = object == NULL ? -1 : PyLong_AsLongLong(object);
    Py_XDECREF(object);
    return value;
}

PyObject* shape_tuple(const int64_t* shape, int ndim) {
    PyObject* tuple = PyTuple_New(ndim);
    for (int i = 0; tuple != NULL && i < ndim; ++i) {
        PyObject* size = PyLong_FromLongLong(shape[i]);
        if (size == NULL || PyTuple_SetItem(tuple, i, size) != 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

int add_type(PyObject* module, const char* name, PyType_Spec* spec, PyObject** type) {
    *type = PyType_FromSpec(spec);
    return *type == NULL ? -1 : PyModule_AddObjectRef(module, name, *type);
}

void free_object(PyObject* object, PyObject* session) {
    PyTypeObject* type = Py_TYPE(object);
    Py_XDECREF(session);
    PyObject_Free(object);
    Py_DECREF(type);
}
