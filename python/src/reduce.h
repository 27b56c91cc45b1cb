// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "array.h"
#include "support.h"

// sum, prod ... of the module: the operation `op` with the arguments x, axis, dtype, out, keepdims
// and session.
PyObject* reduce_call(const char* function, jitune_reduce_op op, PyObject* const* arguments,
                      Py_ssize_t count, PyObject* keywords);
