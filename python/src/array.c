// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include "support.h"

#include <string.h>

// What a type of arrays offers.
typedef enum { kUnknown = 0, kExchange, kCudaInterface, kBuffer, kDlpack, kNothing } Access;

typedef struct {
    PyTypeObject *type;  // kept alive
    Access access;
    const DLPackExchangeAPI *exchange;
    PyObject *scalars[JITUNE_FLOAT64 + 2];  // what makes a scalar of each type, and of bool; null: not asked yet
} TypeEntry;

// Types are few, and their attributes do not change: looking them up would take longer than a call.
enum { kTypes = 64 };
static TypeEntry types[kTypes];

static const struct {
    const char *name;
    uint8_t code, bits;
} type_rows[] = {
    {"int8", kDLInt, 8},      {"uint8", kDLUInt, 8},        {"int16", kDLInt, 16},    {"uint16", kDLUInt, 16},
    {"int32", kDLInt, 32},    {"uint32", kDLUInt, 32},      {"int64", kDLInt, 64},    {"uint64", kDLUInt, 64},
    {"float16", kDLFloat, 16}, {"bfloat16", kDLBfloat, 16}, {"float32", kDLFloat, 32}, {"float64", kDLFloat, 64},
};
enum { kTypeRows = sizeof type_rows / sizeof *type_rows };

const char *type_name(jitune_type type, bool is_bool) {
    return is_bool ? "bool" : type_rows[type].name;
}

static int type_of_name(const char *name, jitune_type *type, bool *is_bool) {
    const char *dot = strrchr(name, '.');  // torch.float32
    name = dot == NULL ? name : dot + 1;
    *is_bool = strcmp(name, "bool") == 0 || strcmp(name, "bool_") == 0;
    *type = JITUNE_UINT8;
    for (int i = 0; i < kTypeRows && !*is_bool; ++i) {
        if (strcmp(name, type_rows[i].name) == 0) {
            *type = (jitune_type)i;
            return 0;
        }
    }
    if (!*is_bool) {
        PyErr_Format(PyExc_TypeError,
                     "dtype %s is not supported: pass bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or "
                     "float64",
                     name);
        return -1;
    }
    return 0;
}

int type_of_dtype(PyObject *dtype, jitune_type *type, bool *is_bool) {
    PyObject *name = call_helper("dtype_name", "(O)", dtype);
    PyObject *text = name == NULL ? NULL : PyUnicode_AsUTF8String(name);
    const int result = text == NULL ? -1 : type_of_name(PyBytes_AsString(text), type, is_bool);
    Py_XDECREF(text);
    Py_XDECREF(name);
    return result;
}

static int set_type(Array *array, const char *name, uint8_t code, int bits, int lanes) {
    array->is_bool = code == kDLBool && bits == 8;
    array->type = JITUNE_UINT8;
    for (int i = 0; i < kTypeRows && !array->is_bool; ++i) {
        if (type_rows[i].code == code && type_rows[i].bits == bits && lanes == 1) {
            array->type = (jitune_type)i;
            return 0;
        }
    }
    if (!array->is_bool) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of %d bits that jitune does not know: pass bool, int8 to int64, uint8 to uint64, "
                     "float16, bfloat16, float32 or float64",
                     name, bits);
        return -1;
    }
    return 0;
}

int64_t array_count(const int64_t *shape, int ndim) {
    int64_t count = 1;
    for (int i = 0; i < ndim; ++i) {
        count *= shape[i];
    }
    return count;
}

static int set_dimensions(Array *array, const char *name, int ndim) {
    if (ndim > kMaxDimensions) {
        PyErr_Format(PyExc_ValueError, "%s has %d dimensions: at most %d are supported", name, ndim, kMaxDimensions);
        return -1;
    }
    array->ndim = ndim;
    return 0;
}

static void finish(Array *array) {
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

static int read_tensor(const DLTensor *tensor, const char *name, Array *array) {
    const int32_t kind = tensor->device.device_type;
    const bool is_cuda = kind == kDLCUDA || kind == kDLCUDAManaged;
    if (!is_cuda && kind != kDLCPU && kind != kDLCUDAHost) {
        PyErr_Format(PyExc_ValueError, "%s is on a device of DLPack's kind %d: pass an array on the CPU or a CUDA GPU", name,
                     (int)kind);
        return -1;
    }
    if (set_type(array, name, tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes) != 0 ||
        set_dimensions(array, name, tensor->ndim) != 0) {
        return -1;
    }
    array->device = is_cuda ? tensor->device.device_id : kHostDevice;
    array->data = (char *)tensor->data + tensor->byte_offset;
    int64_t stride = 1;
    for (int i = tensor->ndim - 1; i >= 0; --i) {
        array->shape[i] = tensor->shape[i];
        array->strides[i] = tensor->strides == NULL ? stride : tensor->strides[i];
        stride *= tensor->shape[i];
    }
    finish(array);
    return 0;
}

static int read_exchange(PyObject *object, const DLPackExchangeAPI *api, const char *name, Array *array) {
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync(object, &tensor) != 0) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "%s: its library does not lend it through DLPack", name);
        }
        return -1;
    }
    if (read_tensor(&tensor, name, array) != 0) {
        return -1;
    }
    if (array->device != kHostDevice && api->current_work_stream != NULL) {
        void *stream = NULL;
        if (api->current_work_stream(tensor.device.device_type, array->device, &stream) != 0) {
            return -1;
        }
        array->stream = (jitune_stream)stream;
    }
    return 0;
}

// An element type as in "<f4".
static int read_typestr(const char *text, const char *name, Array *array) {
    const size_t length = strlen(text);
    const char order = length > 2 ? text[0] : '?';
    const int bytes = length > 2 ? text[2] - '0' : 0;
    if (order == '>' && bytes > 1) {
        PyErr_Format(PyExc_TypeError, "%s has big-endian elements: pass an array of this machine's byte order", name);
        return -1;
    }
    const char *kinds = "iufb";
    const uint8_t codes[] = {kDLInt, kDLUInt, kDLFloat, kDLBool};
    const char *kind = length == 3 ? strchr(kinds, text[1]) : NULL;
    if (kind == NULL) {
        PyErr_Format(PyExc_TypeError, "%s has elements of type \"%s\": pass bools, integers or floats", name, text);
        return -1;
    }
    return set_type(array, name, codes[kind - kinds], 8 * bytes, 1);
}

static int64_t item_of(PyObject *tuple, Py_ssize_t i) {
    PyObject *item = PySequence_GetItem(tuple, i);
    const int64_t value = item == NULL ? -1 : PyLong_AsLongLong(item);
    Py_XDECREF(item);
    return value;
}

static int element_bytes(const Array *array) {
    return array->is_bool ? 1 : type_rows[array->type].bits / 8;
}

// The shape and the strides in bytes, of which None stands for row-major ones.
static int read_layout(PyObject *shape, PyObject *strides, const char *name, Array *array) {
    const Py_ssize_t ndim = shape == NULL ? -1 : PySequence_Size(shape);
    if (ndim < 0 || set_dimensions(array, name, (int)ndim) != 0) {
        return -1;
    }
    int64_t stride = 1;
    for (int i = array->ndim - 1; i >= 0; --i) {
        array->shape[i] = item_of(shape, i);
        array->strides[i] = stride;
        stride *= array->shape[i];
    }
    for (int i = 0; strides != NULL && strides != Py_None && i < array->ndim; ++i) {
        const int64_t bytes = item_of(strides, i);
        if (bytes % element_bytes(array) != 0) {
            PyErr_Format(PyExc_ValueError, "%s has strides that are no multiples of its elements: pass a copy", name);
            return -1;
        }
        array->strides[i] = bytes / element_bytes(array);
    }
    finish(array);
    return PyErr_Occurred() ? -1 : 0;
}

// docs.nvidia.com/cuda/numba: version 3 of the interface.
static int read_cuda_interface(PyObject *object, const char *name, Array *array) {
    PyObject *interface = PyObject_GetAttrString(object, "__cuda_array_interface__");
    if (interface == NULL) {
        return -1;
    }
    int result = -1;
    PyObject *typestr = PyDict_GetItemString(interface, "typestr");
    PyObject *data = PyDict_GetItemString(interface, "data");
    PyObject *stream = PyDict_GetItemString(interface, "stream");
    PyObject *mask = PyDict_GetItemString(interface, "mask");
    PyObject *text = typestr == NULL ? NULL : PyUnicode_AsUTF8String(typestr);
    if (text == NULL || data == NULL || !PySequence_Check(data) || (mask != NULL && mask != Py_None)) {
        PyErr_Format(PyExc_TypeError, "%s has a __cuda_array_interface__ without typestr or data, or with a mask", name);
    } else if (read_typestr(PyBytes_AsString(text), name, array) == 0 &&
               read_layout(PyDict_GetItemString(interface, "shape"), PyDict_GetItemString(interface, "strides"), name,
                           array) == 0) {
        PyObject *pointer = PySequence_GetItem(data, 0);
        PyObject *readonly = PySequence_GetItem(data, 1);
        array->data = pointer == NULL ? NULL : (void *)(uintptr_t)PyLong_AsUnsignedLongLong(pointer);
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

// A format of the struct module with one element: "<f", "=q", "?".
static int read_format(const char *format, int bytes, const char *name, Array *array) {
    const char *letter = strchr("@=<>!", *format) != NULL && *format != '\0' ? format + 1 : format;
    if ((*format == '>' || *format == '!') && bytes > 1) {
        PyErr_Format(PyExc_TypeError, "%s has big-endian elements: pass an array of this machine's byte order", name);
        return -1;
    }
    const bool is_one = letter[0] != '\0' && letter[1] == '\0';
    const uint8_t code = !is_one                           ? 255
                         : strchr("bhilqn", *letter) != NULL ? kDLInt
                         : strchr("BHILQN", *letter) != NULL ? kDLUInt
                         : strchr("efd", *letter) != NULL    ? kDLFloat
                         : *letter == '?'                    ? kDLBool
                                                             : 255;
    if (code == 255) {
        PyErr_Format(PyExc_TypeError, "%s has elements of format \"%s\": pass bools, integers or floats", name, format);
        return -1;
    }
    return set_type(array, name, code, 8 * bytes, 1);
}

static int read_buffer(PyObject *object, const char *name, Array *array) {
    if (PyObject_GetBuffer(object, &array->buffer, PyBUF_RECORDS_RO) != 0) {
        return -1;
    }
    const Py_buffer *buffer = &array->buffer;
    array->device = kHostDevice;
    array->data = buffer->buf;
    array->is_readonly = buffer->readonly != 0;
    const char *format = buffer->format == NULL ? "B" : buffer->format;
    if (read_format(format, (int)buffer->itemsize, name, array) != 0 || set_dimensions(array, name, buffer->ndim) != 0) {
        return -1;
    }
    for (int i = 0; i < array->ndim; ++i) {
        array->shape[i] = buffer->shape[i];
        if (buffer->strides[i] % buffer->itemsize != 0) {
            PyErr_Format(PyExc_ValueError, "%s has strides that are no multiples of its elements: pass a copy", name);
            return -1;
        }
        array->strides[i] = buffer->strides[i] / buffer->itemsize;
    }
    finish(array);
    return 0;
}

// Asks the owner for a capsule whose work is ordered before that of the legacy default stream, on which jitune then
// works.
static int read_dlpack(PyObject *object, const char *name, Array *array) {
    array->capsule = PyObject_CallMethod(object, "__dlpack__", NULL);
    if (array->capsule == NULL) {
        return -1;
    }
    const DLManagedTensor *managed = PyCapsule_GetPointer(array->capsule, "dltensor");
    return managed == NULL ? -1 : read_tensor(&managed->dl_tensor, name, array);
}

static const DLPackExchangeAPI *exchange_of(PyObject *type) {
    PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    const DLPackExchangeAPI *api =
        capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    PyErr_Clear();
    Py_XDECREF(capsule);
    while (api != NULL && api->header.version.major != 1) {
        api = (const DLPackExchangeAPI *)api->header.prev_api;
    }
    return api != NULL && api->dltensor_from_py_object_no_sync != NULL ? api : NULL;
}

static TypeEntry inspect(PyObject *object) {
    PyObject *type = (PyObject *)Py_TYPE(object);
    TypeEntry entry = {(PyTypeObject *)type, kNothing, exchange_of(type), {NULL}};
    if (entry.exchange != NULL) {
        entry.access = kExchange;
    } else if (PyObject_HasAttrString(type, "__cuda_array_interface__")) {
        entry.access = kCudaInterface;
    } else if (PyObject_CheckBuffer(object)) {
        entry.access = kBuffer;
    } else if (PyObject_HasAttrString(type, "__dlpack__")) {
        entry.access = kDlpack;
    }
    return entry;
}

// The entry of the object's type, or NULL where another one has its place.
static TypeEntry *entry_of(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    TypeEntry *entry = &types[((uintptr_t)type >> 4) % kTypes];
    if (entry->type == NULL) {
        Py_INCREF(type);
        *entry = inspect(object);
    }
    return entry->type == type ? entry : NULL;
}

PyObject *array_scalar(PyObject *object, PyObject *number, jitune_type type, bool is_bool) {
    TypeEntry *entry = entry_of(object);
    PyObject *none = NULL;
    PyObject **maker = entry == NULL ? &none : &entry->scalars[is_bool ? JITUNE_FLOAT64 + 1 : (int)type];
    if (*maker == NULL) {
        *maker = call_helper("scalar_maker", "(Os)", (PyObject *)Py_TYPE(object), type_name(type, is_bool));
    }
    PyObject *scalar = *maker == NULL ? NULL : PyObject_CallFunctionObjArgs(*maker, number, NULL);
    Py_XDECREF(none);
    return scalar;
}

int array_read(PyObject *object, const char *name, Array *array) {
    array->capsule = NULL;
    array->buffer.obj = NULL;
    array->stream = NULL;
    array->is_readonly = false;
    const TypeEntry *known = entry_of(object);
    const TypeEntry entry = known == NULL ? inspect(object) : *known;
    int result = -1;
    switch (entry.access) {
        case kExchange:
            result = read_exchange(object, entry.exchange, name, array);
            break;
        case kCudaInterface:
            result = read_cuda_interface(object, name, array);
            if (result != 0 && PyErr_ExceptionMatches(PyExc_AttributeError)) {  // a PyTorch tensor on the CPU
                PyErr_Clear();
                result = read_dlpack(object, name, array);
            }
            break;
        case kBuffer:
            result = read_buffer(object, name, array);
            break;
        case kDlpack:
            result = read_dlpack(object, name, array);
            break;
        default: {
            PyObject *type = (PyObject *)Py_TYPE(object);
            PyErr_Format(PyExc_TypeError,
                         "%s is no array (%R): pass one with __cuda_array_interface__, __dlpack__ or a buffer, as of "
                         "NumPy, CuPy or PyTorch",
                         name, type);
        }
    }
    if (result != 0) {
        array_release(array);
    }
    return result;
}

int array_check_place(const Array *out, const Array *in) {
    if ((out->device == kHostDevice) != (in->device == kHostDevice)) {
        PyErr_SetString(PyExc_TypeError,
                        "the result must be on the device of x: pass out, or an array of NumPy, CuPy or PyTorch");
        return -1;
    }
    return 0;
}

int array_check_out(const char *function, PyObject *object, const Array *in, jitune_type type, bool is_bool,
                    const int64_t *shape, int ndim) {
    Array out;
    if (array_read(object, "out", &out) != 0) {
        return -1;
    }
    bool fits = out.ndim == ndim && out.is_contiguous && !out.is_readonly && out.device == in->device &&
                out.type == type && out.is_bool == is_bool;
    for (int i = 0; fits && i < ndim; ++i) {
        fits = out.shape[i] == shape[i];
    }
    array_release(&out);
    if (!fits) {
        PyObject *wanted = shape_tuple(shape, ndim);
        PyErr_Format(PyExc_ValueError, "%s: out must be a writable row-major array of %s and shape %R on the device of x",
                     function, type_name(type, is_bool), wanted);
        Py_XDECREF(wanted);
    }
    return fits ? 0 : -1;
}

void array_release(Array *array) {
    if (array->buffer.obj != NULL) {
        PyBuffer_Release(&array->buffer);
        array->buffer.obj = NULL;
    }
    Py_CLEAR(array->capsule);
}
