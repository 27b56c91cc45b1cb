// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "array.h"

// Types of a reduction's results.
typedef struct {
    jitune_type wanted;  // in Python
    bool wants_bool;
    jitune_type kernel;  // that the kernel computes: `wanted` where there is such a kernel, else
                         // one that is cast to it
} ResultTypes;

// The types for `function`, whose argument `dtype` may be NULL or None: as NumPy has them, or
// PyTorch for its tensors. Returns 0, or -1 with an exception.
int result_types(const char* function, const Array* array, jitune_reduce_op op, PyObject* dtype,
                 ResultTypes* types);

// The usual result of the library, of at least 32 bits for numbers. With the lock of the
// interpreter.
jitune_type library_result(jitune_type element, jitune_reduce_op op);

bool is_float(jitune_type type);
bool is_signed(jitune_type type);  // an integer below 0

// Whether results of the kernel have the bits of those in Python.
bool is_native(const ResultTypes* types);
