// SPDX-License-Identifier: Apache-2.0
// Operations of a caller's own, given as source text.
#pragma once

#include <stdbool.h>

#include "jitune/jitune.h"
#include "python.h"

// The names of what an operation is given by, in the order of custom_read().
#define CUSTOM_NAMES \
    "name", "definitions", "state", "identity", "map", "combine", "finish", "result", "tolerance"
enum { kCustomTexts = 7, kCustomValues = kCustomTexts + 2 };

typedef struct {
    jitune_custom_operation operation;
    bool is_bool;                   // the result is a bool
    PyObject* texts[kCustomTexts];  // bytes, which hold the texts
} CustomOperation;

// Reads an operation from its values, which are NULL where they are not given. custom_release() is
// due in any case. Returns 0, or -1 with an exception.
int custom_read(const char* function, PyObject* const* values, CustomOperation* custom);

// The same from a dict of these values by their names.
int custom_read_dict(const char* function, PyObject* dict, CustomOperation* custom);

void custom_release(CustomOperation* custom);
