// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.h"

// Adds MapReduce. Returns 0, or -1 with an exception.
int add_formula_type(PyObject* module);
