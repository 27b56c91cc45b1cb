// SPDX-License-Identifier: Apache-2.0
// The dimensions that a call reduces.
#pragma once

#include <stdint.h>

#include "python.h"

// Reads the argument `axis` for an array of `ndim` dimensions: NULL or None for all, a dimension,
// or a tuple of them. `axes` gets a bit for each. Returns 0, or -1 with an exception, which names
// `function`.
int axes_read(const char* function, PyObject* axis, int ndim, uint64_t* axes);
