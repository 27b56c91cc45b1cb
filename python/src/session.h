// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support.h"

// Adds the type Session to the module. Returns 0, or -1 with an exception.
int add_session_type(PyObject* module);

// command(words, progress=None, session=None): the JSON text of `jitune WORDS`.
PyObject* run_command(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords);
