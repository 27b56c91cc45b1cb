// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries as jitune sees them.
#pragma once

#include <stdbool.h>

#include "dlpack.h"
#include "dtype.h"
#include "jitune/jitune.h"
#include "python.h"

enum { kMaxDimensions = 64 };
enum { kHostDevice = -1 };

// How the arrays of a type are read: the first of these that the type has.
typedef enum { kExchange, kCupy, kCudaInterface, kBuffer, kDlpack, kMasked, kNothing } Access;

// How jitune reads arrays of one Python type.
typedef struct {
    PyTypeObject* type;
    Access access;
    const DLPackExchangeAPI* exchange;  // of kExchange
    bool is_torch;
    PyObject* current_gpu;  // a function of the type's library; None: there is one GPU; null: not
                            // asked yet
    // What makes a scalar or an array of each type, and of bool; null: not asked yet.
    PyObject *scalars[JITUNE_FLOAT64 + 2], *arrays[JITUNE_FLOAT64 + 2];
} ArrayKind;

typedef struct {
    ArrayKind* kind;
    ArrayKind own_kind;  // where the table of kinds is full
    void* data;
    jitune_type type;
    bool is_bool;        // of bytes that are 0 or 1
    bool is_readonly;    // as far as its owner says
    bool is_contiguous;  // row-major, without gaps
    int device;  // kHostDevice, or the number of a CUDA device; 0 where its owner does not say
    jitune_stream stream;  // of __cuda_array_interface__; array_stream() knows it for all
    int ndim;
    int64_t shape[kMaxDimensions];
    int64_t strides[kMaxDimensions];  // in elements
    int64_t size;                     // elements
    // array_release() gives these back.
    Py_buffer buffer;
    PyObject* capsule;
} Array;

// Reads `object`. Returns 0, or -1 with an exception that says what to pass. `name` is the
// argument's.
int array_read(PyObject* object, const char* name, Array* array);

void array_release(Array* array);

// The stream on which the array's owner works now; null: the legacy default stream. Returns 0, or
// -1 with an exception.
int array_stream(const Array* array, jitune_stream* stream);

// True for a tensor of PyTorch whose gradient is wanted; -1 with an exception.
int array_needs_grad(PyObject* object, const Array* array);

// Makes the GPU of an array current where its stream is the default one, which is that of the
// current GPU. `guard` is null where nothing is to be done. Returns 0, or -1 with an exception.
int array_enter_device(PyObject* object, const Array* array, PyObject** guard);

// Takes a guard back. An exception that is set stays.
void array_leave_device(PyObject* guard);

// One value as the library of `object` gives it: of NumPy a scalar of this type, of PyTorch a
// tensor, of other buffers the number itself. A new reference, or NULL with an exception.
PyObject* array_scalar(PyObject* object, PyObject* number, jitune_type type, bool is_bool);

// A new row-major array of the kind of `object`, on its device. A new reference, or NULL with an
// exception.
PyObject* array_new(PyObject* object, const Array* array, const int64_t* shape, int ndim,
                    jitune_type type, bool is_bool);

// The id of an array's device, as jitune_prepare_reduction() takes it; "" for the current GPU where
// the array's owner does not say which.
void array_device_id(const Array* array, char* id, size_t room);

// Elements of a shape, 1 without dimensions.
int64_t array_count(const int64_t* shape, int ndim);
