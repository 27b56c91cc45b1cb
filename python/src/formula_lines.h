// SPDX-License-Identifier: Apache-2.0
// The lines that a formula's call reduces: all elements of its arrays, each row, column or segment.
#pragma once

#include "array.h"

typedef struct {
    PyObject* axis;  // NULL: not given
    bool keepdims;
    bool has_offsets;
    int64_t segments;
    const char* first;  // the name of the first array that says how many elements there are
    // All arrays of elements together, as NumPy broadcasts them, when `first` is known.
    int64_t sizes[kMaxDimensions];
    int ndim;
    int64_t size;
    // Set when the lines are closed:
    uint64_t axes;                 // the dimensions that are reduced, a bit for each
    bool is_between;               // these are neither the first nor the last
    int64_t kept[kMaxDimensions];  // the shape of results
    int kept_ndim;
    int64_t count;  // of values of a result
    jitune_formula_shape shape;
} Lines;

// Begins lines from the arguments of a call, NULL or None where one is not given. The offsets have
// been read. Returns 0, or -1 with an exception.
int lines_begin(Lines* lines, PyObject* axis, PyObject* keepdims, const Array* offsets);

// Adds an array with dimensions that the formula reads. Returns 0, or -1 with an exception.
int lines_add(Lines* lines, const Array* array, const char* name);

// Finds out what is reduced, when all arrays have been added that say so. Returns 0, or -1 with an
// exception.
int lines_close(Lines* lines);

// Finds whether an added array has a value for each element, row, column or segment. Returns 0, or
// -1 with an exception.
int lines_extent(const Lines* lines, const Array* array, const char* name,
                 jitune_formula_extent* extent);

// Checks the values of offsets in host memory, when the lines are closed. `made` is the name of a
// new array, of which segments must leave no element out, or NULL. Returns 0, or -1 with an
// exception.
int lines_check_offsets(const Lines* lines, const Array* offsets, const char* made);

// Checks an array that the formula writes. It closes the lines if the formula reads none. Returns
// 0, or -1 with an exception.
int lines_take_written(Lines* lines, const Array* array, const char* name);
