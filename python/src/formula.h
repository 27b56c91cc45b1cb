// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formula_call.h"

// Reads the arguments of a call that has begun. Returns 0, or -1 with an exception.
int formula_read(FormulaCall* call);

// Computes a formula, by a handle of it unless that is NULL. Returns the results, or NULL with an
// exception.
PyObject* formula_compute(FormulaObject* self, const FormulaHandle* handle, PyObject* arguments,
                          PyObject* keywords);

// Adds MapReduce. Returns 0, or -1 with an exception.
int add_formula_type(PyObject* module);
