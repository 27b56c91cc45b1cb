// SPDX-License-Identifier: Apache-2.0
// The array that a call writes its results to: the caller's `out`, or a new one.
#pragma once

#include "array.h"

typedef struct {
    void* data;
    // For result_close().
    PyObject* object;  // the array; null where the one below is to become one
    Array array;       // of the object
    DLManagedTensorVersioned* managed;
    const DLPackExchangeAPI* exchange;
} Result;

// Takes `out`, or makes a new row-major array of x's kind on its device where that is NULL or None.
// Returns 0, or -1 with an exception: where `out` is not a writable row-major array of this type
// and shape on the device of `in`, which is x.
int result_open(Result* result, const char* function, PyObject* x, const Array* in, PyObject* out,
                const int64_t* shape, int ndim, jitune_type type, bool is_bool);

// The array, as a new reference; NULL with an exception where it is not written, or has no object.
PyObject* result_close(Result* result, bool is_written);
