// SPDX-License-Identifier: Apache-2.0
// Reads arrays by each of the protocols. All fill in `array` and return 0, or -1 with an exception;
// `name` is the argument's.
#pragma once

#include "array.h"

// DLPack's table of functions, array->kind->exchange: no object of Python is made.
int read_exchange(PyObject* object, const char* name, Array* array);

// The attributes of a cupy.ndarray, which are there sooner than its __cuda_array_interface__.
int read_cupy(PyObject* object, const char* name, Array* array);

// CuPy's current stream. Returns 0, or -1 with an exception.
int cupy_stream(jitune_stream* stream);

int read_cuda_interface(PyObject* object, const char* name, Array* array);

int read_buffer(PyObject* object, const char* name, Array* array);

// Asks the owner for a capsule whose work is ordered before that of the legacy default stream.
int read_dlpack(PyObject* object, const char* name, Array* array);
