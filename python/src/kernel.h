// SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own.
#pragma once

#include "python.h"

// Adds the type TunedKernel to the module. Returns 0, or -1 with an exception.
int add_kernel_type(PyObject* module);
