// SPDX-License-Identifier: Apache-2.0
// Prepared handles of formulas.
#pragma once

#include "python.h"

// prepare(out=None, **inputs) of a MapReduce.
PyObject* formula_prepare(PyObject* formula, PyObject* arguments, PyObject* keywords);

// Adds the type PreparedMapReduce to the module. Returns 0, or -1 with an exception.
int add_formula_prepared_type(PyObject* module);
