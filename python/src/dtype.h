// SPDX-License-Identifier: Apache-2.0
// Element types by the names and codes that other libraries give them.
#pragma once

#include <stdbool.h>

#include "dlpack.h"
#include "jitune/jitune.h"
#include "python.h"

// "float32": the name that NumPy, CuPy and PyTorch give a type.
const char* type_name(jitune_type type, bool is_bool);

// Its code in DLPack.
DLDataType type_code(jitune_type type, bool is_bool);

int type_bytes(jitune_type type);

// The type of a code in DLPack. Returns 0, or -1 with an exception that names the argument `name`.
int type_of_code(uint8_t code, int bits, int lanes, const char* name, jitune_type* type,
                 bool* is_bool);

// The type that a dtype of NumPy, CuPy or PyTorch, its name, or a type of Python stands for.
// Returns 0, or -1 with an exception.
int type_of_dtype(PyObject* dtype, jitune_type* type, bool* is_bool);
