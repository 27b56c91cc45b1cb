// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries as jitune sees them.
#pragma once

#include <stdbool.h>

#include "dlpack.h"
#include "jitune/jitune.h"
#include "python.h"

enum { kMaxDimensions = 64 };
enum { kHostDevice = -1 };

typedef struct {
    void *data;
    jitune_type type;
    bool is_bool;        // of bytes that are 0 or 1
    bool is_readonly;    // as far as its owner says
    bool is_contiguous;  // row-major, without gaps
    int device;          // kHostDevice, or the number of a CUDA device
    jitune_stream stream;  // on which its owner works now; null: the legacy default stream
    int ndim;
    int64_t shape[kMaxDimensions];
    int64_t strides[kMaxDimensions];  // in elements
    int64_t size;                     // elements
    // array_release() gives these back.
    Py_buffer buffer;
    PyObject *capsule;
} Array;

// Reads `object`, by the first that its type has: DLPack's table of functions, __cuda_array_interface__, a buffer,
// __dlpack__. Returns 0, or -1 with an exception that says what to pass. `name` is the argument's.
int array_read(PyObject *object, const char *name, Array *array);

void array_release(Array *array);

// Returns 0 where both are in host memory or both on a GPU, or -1 with an exception.
int array_check_place(const Array *out, const Array *in);

// Returns 0 where a function may write results of this type and shape into `out`, beside its input `in`; or -1 with an
// exception.
int array_check_out(const char *function, PyObject *out, const Array *in, jitune_type type, bool is_bool,
                    const int64_t *shape, int ndim);

// One value as the library of `object` gives it: of NumPy a scalar of this type, of PyTorch a tensor, of other buffers
// the number itself. A new reference, or NULL with an exception.
PyObject *array_scalar(PyObject *object, PyObject *number, jitune_type type, bool is_bool);

// Elements of a shape, 1 without dimensions.
int64_t array_count(const int64_t *shape, int ndim);

// "float32": the name that NumPy, CuPy and PyTorch give a type.
const char *type_name(jitune_type type, bool is_bool);

// The type that a dtype of NumPy, CuPy or PyTorch, its name, or a type of Python stands for. Returns 0, or -1 with an
// exception.
int type_of_dtype(PyObject *dtype, jitune_type *type, bool *is_bool);
