// SPDX-License-Identifier: Apache-2.0
#include "readers.h"

#include <string.h>

#include "support.h"

static int set_dimensions(Array* array, const char* name, int ndim) {
    if (ndim < 0 || ndim > kMaxDimensions) {
        PyErr_Format(PyExc_ValueError, "%s has %d dimensions: at most %d are supported", name, ndim,
                     kMaxDimensions);
        return -1;
    }
    array->ndim = ndim;
    return 0;
}

static void finish(Array* array) {
    array->size = array_count(array->shape, array->ndim);
    array->is_contiguous = true;
    int64_t stride = 1;
    for (int i = array->ndim - 1; i >= 0; --i) {
        if (array->shape[i] > 1 && array->strides[i] != stride) {
            array->is_contiguous = array->size == 0;
        }
        stride *= array->shape[i];
    }
}

static int read_tensor(const DLTensor* tensor, const char* name, Array* array) {
    const int32_t kind = tensor->device.device_type;
    const bool is_cuda = kind == kDLCUDA || kind == kDLCUDAManaged;
    if ((!is_cuda && kind != kDLCPU && kind != kDLCUDAHost) || tensor->device.device_id < 0) {
        PyErr_Format(
            PyExc_ValueError,
            "%s is on a device of DLPack's kind %d: pass an array on the CPU or a CUDA GPU", name,
            (int)kind);
        return -1;
    }
    if (type_of_code(tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes, name,
                     &array->type, &array->is_bool) != 0 ||
        set_dimensions(array, name, tensor->ndim) != 0) {
        return -1;
    }
    array->device = is_cuda ? tensor->device.device_id : kHostDevice;
    array->data = (char*)tensor->data + tensor->byte_offset;
    int64_t stride = 1;
    for (int i = tensor->ndim - 1; i >= 0; --i) {
        array->shape[i] = tensor->shape[i];
        array->strides[i] = tensor->strides == NULL ? stride : tensor->strides[i];
        stride *= tensor->shape[i];
    }
    finish(array);
    return 0;
}

int read_exchange(PyObject* object, const char* name, Array* array) {
    DLTensor tensor;
    if (array->kind->exchange->dltensor_from_py_object_no_sync(object, &tensor) != 0) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "%s: its library does not lend it through DLPack", name);
        }
        return -1;
    }
    return read_tensor(&tensor, name, array);
}

// An element type as in "<f4".
static int read_typestr(const char* text, const char* name, Array* array) {
    const size_t length = strlen(text);
    char order = '?';
    if (length > 2) {
        order = text[0];
    }
    const int bytes = length > 2 ? text[2] - '0' : 0;
    if (order == '>' && bytes > 1) {
        PyErr_Format(PyExc_TypeError,
                     "%s has big-endian elements: pass an array of this machine's byte order",
                     name);
        return -1;
    }
    const char* kinds = "iufb";
    const uint8_t codes[] = {kDLInt, kDLUInt, kDLFloat, kDLBool};
    const char* kind = length == 3 ? strchr(kinds, text[1]) : NULL;
    if (kind == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of type \"%s\": pass bools, integers or floats", name, text);
        return -1;
    }
    return type_of_code(codes[kind - kinds], 8 * bytes, 1, name, &array->type, &array->is_bool);
}

// The shape and the strides in bytes, of which None stands for row-major ones.
static int read_layout(PyObject* shape, PyObject* strides, const char* name, Array* array) {
    if (shape == NULL) {
        PyErr_Format(PyExc_TypeError, "%s has no shape", name);
        return -1;
    }
    const Py_ssize_t ndim = PySequence_Size(shape);
    if (ndim < 0 || set_dimensions(array, name, (int)ndim) != 0) {
        return -1;
    }
    int64_t stride = 1;
    for (int i = array->ndim - 1; i >= 0; --i) {
        array->shape[i] = integer_of(PySequence_GetItem(shape, i));
        array->strides[i] = stride;
        stride *= array->shape[i];
    }
    for (int i = 0; strides != NULL && strides != Py_None && i < array->ndim; ++i) {
        const int64_t bytes = integer_of(PySequence_GetItem(strides, i));
        if (bytes % type_bytes(array->type) != 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s has strides that are no multiples of its elements: pass a copy", name);
            return -1;
        }
        array->strides[i] = bytes / type_bytes(array->type);
    }
    finish(array);
    return PyErr_Occurred() ? -1 : 0;
}

// The attribute of an object as an integer, such as a pointer.
static int64_t integer_at(PyObject* object, PyObject* attribute) {
    return integer_of(PyObject_GetAttr(object, attribute));
}

// The shape and strides of a cupy.ndarray. Its tuples take longest: the number of elements says as
// much of a row.
static int read_cupy_layout(PyObject* object, const char* name, Array* array) {
    const AttributeNames* names = &module_state.names;
    PyObject* contiguous = PyObject_GetAttr(object, names->c_contiguous);
    const bool is_contiguous = contiguous == Py_True;
    Py_XDECREF(contiguous);
    const int64_t ndim = contiguous == NULL ? -1 : integer_at(object, names->ndim);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (is_contiguous && (ndim == 0 || ndim == 1)) {
        array->ndim = (int)ndim;
        array->is_contiguous = true;
        array->size = ndim == 0 ? 1 : integer_at(object, names->size);
        array->shape[0] = array->size;
        array->strides[0] = 1;
        return PyErr_Occurred() ? -1 : 0;
    }
    PyObject* shape = PyObject_GetAttr(object, names->shape);
    PyObject* strides = shape == NULL ? NULL : PyObject_GetAttr(object, names->strides);
    const int result = strides == NULL ? -1 : read_layout(shape, strides, name, array);
    Py_XDECREF(strides);
    Py_XDECREF(shape);
    return result;
}

int read_cupy(PyObject* object, const char* name, Array* array) {
    const AttributeNames* names = &module_state.names;
    PyObject* dtype = PyObject_GetAttr(object, names->dtype);
    const int typed = dtype == NULL ? -1 : type_of_dtype(dtype, &array->type, &array->is_bool);
    Py_XDECREF(dtype);
    PyObject* memory = typed != 0 ? NULL : PyObject_GetAttr(object, names->data);
    if (memory == NULL) {
        return -1;
    }
    array->data = (void*)(uintptr_t)integer_at(memory, names->ptr);
    const bool is_only_gpu = array->kind->current_gpu == Py_None;
    array->device = is_only_gpu ? 0 : (int)integer_at(memory, names->device_id);
    Py_DECREF(memory);
    return PyErr_Occurred() ? -1 : read_cupy_layout(object, name, array);
}

// The function of CuPy's own C interface: intptr_t get_current_stream_ptr(void). Cython gives it in
// a capsule whose name is its signature.
typedef intptr_t (*CupyStream)(void);

static CupyStream cupy_function(void) {
    static const char signature[] = "intptr_t (void)";
    PyObject* module = PyImport_ImportModule("cupy_backends.cuda.stream");
    PyObject* table = module == NULL ? NULL : PyObject_GetAttrString(module, "__pyx_capi__");
    PyObject* capsule =
        table == NULL ? NULL : PyMapping_GetItemString(table, "get_current_stream_ptr");
    void* function = capsule != NULL && PyCapsule_IsValid(capsule, signature)
                         ? PyCapsule_GetPointer(capsule, signature)
                         : NULL;
    PyErr_Clear();
    Py_XDECREF(capsule);
    Py_XDECREF(table);
    Py_XDECREF(module);
    CupyStream result;
    memcpy(&result, &function, sizeof result);
    return result;
}

int cupy_stream(jitune_stream* stream) {
    static CupyStream function;
    static bool is_known;
    if (!is_known) {
        function = cupy_function();
        is_known = true;
    }
    const intptr_t pointer =
        function != NULL ? function() : (intptr_t)integer_of(call_helper("cupy_stream", "()"));
    *stream = (jitune_stream)pointer;
    return PyErr_Occurred() ? -1 : 0;
}

// docs.nvidia.com/cuda/numba: version 3 of the interface.
int read_cuda_interface(PyObject* object, const char* name, Array* array) {
    PyObject* interface = PyObject_GetAttrString(object, "__cuda_array_interface__");
    if (interface == NULL) {
        return -1;
    }
    int result = -1;
    PyObject* typestr = PyDict_GetItemString(interface, "typestr");
    PyObject* data = PyDict_GetItemString(interface, "data");
    PyObject* stream = PyDict_GetItemString(interface, "stream");
    PyObject* mask = PyDict_GetItemString(interface, "mask");
    PyObject* text = typestr == NULL ? NULL : PyUnicode_AsUTF8String(typestr);
    if (text == NULL || data == NULL || !PySequence_Check(data) ||
        (mask != NULL && mask != Py_None)) {
        PyErr_Format(PyExc_TypeError,
                     "%s has a __cuda_array_interface__ without typestr or data, or with a mask",
                     name);
    } else if (read_typestr(PyBytes_AsString(text), name, array) == 0 &&
               read_layout(PyDict_GetItemString(interface, "shape"),
                           PyDict_GetItemString(interface, "strides"), name, array) == 0) {
        PyObject* pointer = PySequence_GetItem(data, 0);
        PyObject* readonly = PySequence_Size(data) > 1 ? PySequence_GetItem(data, 1) : NULL;
        array->data = pointer == NULL ? NULL : (void*)(uintptr_t)PyLong_AsUnsignedLongLong(pointer);
        array->is_readonly = readonly != NULL && PyObject_IsTrue(readonly) == 1;
        array->device = 0;  // of the pointer: the driver knows
        if (stream != NULL && stream != Py_None) {
            array->stream = (jitune_stream)(uintptr_t)PyLong_AsUnsignedLongLong(stream);
        }
        Py_XDECREF(pointer);
        Py_XDECREF(readonly);
        result = PyErr_Occurred() ? -1 : 0;
    }
    Py_XDECREF(text);
    Py_DECREF(interface);
    return result;
}

// DLPack's code of a letter of the struct module, or 255.
static uint8_t code_of_letter(char letter) {
    switch (letter) {
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'n':
            return kDLInt;
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q':
        case 'N':
            return kDLUInt;
        case 'e':
        case 'f':
        case 'd':
            return kDLFloat;
        case '?':
            return kDLBool;
        default:
            return 255;
    }
}

// Names the dtype of an object that has one.
static int refuse_format(PyObject* object, const char* format, const char* name) {
    PyObject* dtype = PyObject_HasAttr(object, module_state.names.dtype)
                          ? PyObject_GetAttr(object, module_state.names.dtype)
                          : NULL;
    if (dtype != NULL) {
        PyErr_Format(PyExc_TypeError, "%s has elements of dtype %S: pass bools, integers or floats",
                     name, dtype);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of format \"%s\": pass bools, integers or floats", name,
                     format);
    }
    Py_XDECREF(dtype);
    return -1;
}

// A format of the struct module with one element: "<f", "=q", "?".
static int read_format(PyObject* object, const char* format, int bytes, const char* name,
                       Array* array) {
    const bool is_big = *format == '>' || *format == '!';
    const bool has_order = is_big || *format == '@' || *format == '=' || *format == '<';
    const char* letter = format + has_order;
    if (is_big && bytes > 1) {
        PyErr_Format(PyExc_TypeError,
                     "%s has big-endian elements: pass an array of this machine's byte order",
                     name);
        return -1;
    }
    const bool is_one = letter[0] != '\0' && letter[1] == '\0';
    const uint8_t code = is_one ? code_of_letter(*letter) : 255;
    if (code == 255) {
        return refuse_format(object, format, name);
    }
    return type_of_code(code, 8 * bytes, 1, name, &array->type, &array->is_bool);
}

// Objects of NumPy such as datetime64 lend their bytes. Returns 0, or -1 with an exception.
static int refuse_other_dtype(PyObject* object) {
    if (!PyObject_HasAttr(object, module_state.names.dtype)) {
        return 0;
    }
    jitune_type type;
    bool is_bool;
    PyObject* dtype = PyObject_GetAttr(object, module_state.names.dtype);
    const int result = dtype == NULL ? -1 : type_of_dtype(dtype, &type, &is_bool);
    Py_XDECREF(dtype);
    return result;
}

int read_buffer(PyObject* object, const char* name, Array* array) {
    if (PyObject_GetBuffer(object, &array->buffer, PyBUF_RECORDS_RO) != 0) {
        return -1;
    }
    const Py_buffer* buffer = &array->buffer;
    array->device = kHostDevice;
    array->data = buffer->buf;
    array->is_readonly = buffer->readonly != 0;
    const char* format = buffer->format == NULL ? "B" : buffer->format;
    if (*format == 'B' && refuse_other_dtype(object) != 0) {
        return -1;
    }
    if (read_format(object, format, (int)buffer->itemsize, name, array) != 0 ||
        set_dimensions(array, name, buffer->ndim) != 0) {
        return -1;
    }
    int64_t stride = 1;
    for (int i = array->ndim - 1; i >= 0; --i) {
        array->shape[i] = buffer->shape[i];
        array->strides[i] = stride;
        stride *= array->shape[i];
    }
    for (int i = 0; buffer->strides != NULL && i < array->ndim; ++i) {  // ctypes gives none
        if (buffer->strides[i] % buffer->itemsize != 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s has strides that are no multiples of its elements: pass a copy", name);
            return -1;
        }
        array->strides[i] = buffer->strides[i] / buffer->itemsize;
    }
    finish(array);
    return 0;
}

int read_dlpack(PyObject* object, const char* name, Array* array) {
    array->capsule = PyObject_CallMethod(object, "__dlpack__", NULL);
    if (array->capsule == NULL) {
        return -1;
    }
    const DLManagedTensor* managed = PyCapsule_GetPointer(array->capsule, "dltensor");
    return managed == NULL ? -1 : read_tensor(&managed->dl_tensor, name, array);
}
