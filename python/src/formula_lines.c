// SPDX-License-Identifier: Apache-2.0
#include "formula_lines.h"

#include <string.h>

#include "axes.h"
#include "support.h"

static bool is_flat(const Lines* lines) {
    return lines->axis == NULL && !lines->has_offsets;
}

// Takes the offsets. Returns 0, or -1 with an exception.
static int take_offsets(Lines* lines, const Array* offsets) {
    if (offsets->ndim != 1 || !offsets->is_contiguous || offsets->size < 1 ||
        (offsets->type != JITUNE_INT32 && offsets->type != JITUNE_INT64)) {
        PyErr_SetString(
            PyExc_ValueError,
            "offsets must be a row of int32 or int64, one more than there are segments");
        return -1;
    }
    lines->segments = offsets->size - 1;
    lines->shape =
        jitune_each_segment(jitune_array(offsets->type, offsets->data), lines->segments, 0);
    return 0;
}

int lines_begin(Lines* lines, PyObject* axis, PyObject* keepdims, const Array* offsets) {
    lines->axis = axis == Py_None ? NULL : axis;
    lines->has_offsets = offsets != NULL;
    lines->first = NULL;
    lines->ndim = 0;
    lines->is_between = false;
    lines->shape = jitune_flat(0);
    const int keeps = keepdims == NULL ? 0 : PyObject_IsTrue(keepdims);
    lines->keepdims = keeps == 1;
    if (keeps < 0) {
        return -1;
    }
    if (lines->axis != NULL && offsets != NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "axis and offsets are two ways to say what is reduced: pass one");
        return -1;
    }
    return offsets == NULL ? 0 : take_offsets(lines, offsets);
}

// Refuses an array whose shape does not go with those of the others.
static int refuse_shape(const Lines* lines, const Array* array, const char* name,
                        const char* wanted) {
    PyObject* its = shape_tuple(array->shape, array->ndim);
    PyObject* others = shape_tuple(lines->sizes, lines->ndim);
    if (its != NULL && others != NULL) {
        PyErr_Format(PyExc_ValueError, "%s has shape %R, and the arrays of the call have %R: %s",
                     name, its, others, wanted);
    }
    Py_XDECREF(its);
    Py_XDECREF(others);
    return -1;
}

static int refuse_broadcast(const Lines* lines, const Array* array, const char* name) {
    return refuse_shape(lines, array, name,
                        "pass an array of that shape, or one with 1 in place of all dimensions "
                        "that are reduced, or of all others");
}

static void set_sizes(Lines* lines, const Array* array, const char* name) {
    lines->first = name;
    lines->ndim = array->ndim;
    lines->size = array->size;
    memcpy(lines->sizes, array->shape, sizeof *array->shape * (size_t)array->ndim);
}

// Adds an array of all elements. Returns 0, or -1 with an exception.
static int add_elements(Lines* lines, const Array* array, const char* name) {
    if (lines->first == NULL) {
        set_sizes(lines, array, name);
    } else if (array->size != lines->size) {
        PyErr_Format(PyExc_ValueError,
                     "%s has %lld elements and %s %lld: pass arrays of equal size, and scalars "
                     "without dimensions%s",
                     name, (long long)array->size, lines->first, (long long)lines->size,
                     lines->has_offsets ? ""
                                        : "; with axis=, as in axis=-1 for each row, rows and "
                                          "columns are broadcast");
        return -1;
    }
    return 0;
}

// The size of a dimension of the array as if it had `ndim` dimensions, as NumPy broadcasts it.
static int64_t padded_size(const Array* array, int ndim, int dimension) {
    const int place = dimension - (ndim - array->ndim);
    return place < 0 ? 1 : array->shape[place];
}

// Broadcasts the sizes with those of the array. Returns 0, or -1 with an exception.
static int add_broadcast(Lines* lines, const Array* array, const char* name) {
    if (lines->first == NULL) {
        set_sizes(lines, array, name);
        return 0;
    }
    const int missing = array->ndim - lines->ndim;
    for (int i = 0; i < lines->ndim; ++i) {
        const int64_t size = padded_size(array, lines->ndim, i);
        if (size != lines->sizes[i] && size != 1 && lines->sizes[i] != 1) {
            return refuse_broadcast(lines, array, name);
        }
    }
    if (missing > 0) {
        memmove(lines->sizes + missing, lines->sizes, sizeof *lines->sizes * (size_t)lines->ndim);
        lines->ndim = array->ndim;
    }
    for (int i = 0; i < lines->ndim; ++i) {
        const bool is_new = i < missing || lines->sizes[i] == 1;
        lines->sizes[i] = is_new ? padded_size(array, lines->ndim, i) : lines->sizes[i];
    }
    lines->size = array_count(lines->sizes, lines->ndim);
    return 0;
}

static bool is_per_segment(const Lines* lines, const Array* array) {
    return array->ndim == 2 && array->shape[0] == lines->segments && array->shape[1] == 1;
}

static int refuse_segmented(const Lines* lines, const Array* array, const char* name) {
    PyObject* its = shape_tuple(array->shape, array->ndim);
    if (its != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%s has shape %R: with offsets, pass an array of one dimension, or of shape "
                     "(%lld, 1) for a value for each segment",
                     name, its, (long long)lines->segments);
    }
    Py_XDECREF(its);
    return -1;
}

int lines_add(Lines* lines, const Array* array, const char* name) {
    if (lines->axis != NULL) {
        return add_broadcast(lines, array, name);
    }
    if (!lines->has_offsets) {
        return add_elements(lines, array, name);
    }
    return is_per_segment(lines, array) ? 0
           : array->ndim == 1           ? add_elements(lines, array, name)
                                        : refuse_segmented(lines, array, name);
}

// Sets what the axis reduces. Returns 0, or -1 with an exception.
static int close_axis(Lines* lines) {
    const int ndim = lines->ndim;
    if (axes_read("MapReduce", lines->axis, ndim, &lines->axes) != 0) {
        return -1;
    }
    int64_t kept = 1, reduced = 1;
    int first_kept = ndim, last_kept = -1, first_reduced = ndim, last_reduced = -1;
    lines->kept_ndim = 0;
    for (int i = 0; i < ndim; ++i) {
        const bool is_reduced = (lines->axes >> i & 1) != 0;
        int* const first = is_reduced ? &first_reduced : &first_kept;
        *first = *first == ndim ? i : *first;
        *(is_reduced ? &last_reduced : &last_kept) = i;
        *(is_reduced ? &reduced : &kept) *= lines->sizes[i];
        if (!is_reduced || lines->keepdims) {
            lines->kept[lines->kept_ndim++] = is_reduced ? 1 : lines->sizes[i];
        }
    }
    lines->count = kept;
    lines->is_between = last_kept > first_reduced && last_reduced > first_kept;
    lines->shape = last_kept < 0               ? jitune_flat(lines->size)
                   : last_kept < first_reduced ? jitune_each_row(kept, reduced)
                                               : jitune_each_column(reduced, kept);
    return 0;
}

// Sets the segments. Returns 0, or -1 with an exception.
static int close_segments(Lines* lines) {
    lines->shape.inner = lines->size;
    lines->count = lines->segments;
    lines->kept_ndim = lines->keepdims ? 2 : 1;
    lines->kept[0] = lines->segments;
    lines->kept[1] = 1;
    return 0;
}

int lines_close(Lines* lines) {
    if (!is_flat(lines) || lines->keepdims) {
        return lines->has_offsets ? close_segments(lines) : close_axis(lines);
    }
    lines->count = 1;
    lines->kept_ndim = 0;
    lines->shape.inner = lines->size;
    return 0;
}

int lines_extent(const Lines* lines, const Array* array, const char* name,
                 jitune_formula_extent* extent) {
    *extent = JITUNE_ELEMENTS;
    if (lines->axis == NULL || lines->is_between) {
        *extent = lines->has_offsets && is_per_segment(lines, array) ? JITUNE_PER_SEGMENT
                                                                     : JITUNE_ELEMENTS;
        return 0;
    }
    bool has_kept = true, has_reduced = true;        // it has the sizes of these dimensions
    bool has_no_kept = true, has_no_reduced = true;  // it has 1 in place of them
    for (int i = 0; i < lines->ndim; ++i) {
        const bool is_reduced = (lines->axes >> i & 1) != 0;
        const int64_t size = padded_size(array, lines->ndim, i);
        bool* const has = is_reduced ? &has_reduced : &has_kept;
        bool* const has_no = is_reduced ? &has_no_reduced : &has_no_kept;
        *has = *has && size == lines->sizes[i];
        *has_no = *has_no && size == 1;
    }
    const bool is_rows = lines->shape.kind == JITUNE_ROWS;
    const bool is_whole = lines->shape.kind == JITUNE_WHOLE;
    // An array with fewer dimensions is no array of all elements only because there is one line:
    // calls with one line have the same form as with many.
    if (has_kept && has_reduced && array->ndim == lines->ndim) {
        return 0;
    }
    if (has_kept && has_no_reduced) {
        *extent = is_whole ? JITUNE_SCALAR : is_rows ? JITUNE_PER_ROW : JITUNE_PER_COLUMN;
    } else if (has_no_kept && has_reduced && !is_whole) {
        *extent = is_rows ? JITUNE_PER_COLUMN : JITUNE_PER_ROW;
    } else if (!has_kept || !has_reduced) {
        return refuse_broadcast(lines, array, name);
    }
    return 0;
}

int lines_take_written(Lines* lines, const Array* array, const char* name) {
    if (lines->has_offsets && array->ndim != 1) {
        return refuse_segmented(lines, array, name);
    }
    if (lines->first == NULL) {
        return lines_add(lines, array, name) != 0 ? -1 : lines_close(lines);
    }
    if (is_flat(lines)) {
        return add_elements(lines, array, name);
    }
    bool has_shape = array->ndim == lines->ndim;
    for (int i = 0; has_shape && i < lines->ndim; ++i) {
        has_shape = array->shape[i] == lines->sizes[i];
    }
    return has_shape ? 0
                     : refuse_shape(lines, array, name,
                                    "the formula writes it, so pass an array of that shape");
}

static int64_t offset_at(const Array* offsets, int64_t i) {
    return offsets->type == JITUNE_INT32 ? ((const int32_t*)offsets->data)[i]
                                         : ((const int64_t*)offsets->data)[i];
}

int lines_check_offsets(const Lines* lines, const Array* offsets, const char* made) {
    if (offsets->device != kHostDevice) {
        return 0;
    }
    int64_t last = 0;
    for (int64_t i = 0; i < offsets->size; ++i) {
        const int64_t next = offset_at(offsets, i);
        if (next < last || next > lines->size) {
            PyErr_Format(PyExc_ValueError,
                         "offset %lld is %lld: offsets must not decrease and must lie in [0, %lld]",
                         (long long)i, (long long)next, (long long)lines->size);
            return -1;
        }
        last = next;
    }
    if (made != NULL && (offset_at(offsets, 0) != 0 || last != lines->size)) {
        PyErr_Format(
            PyExc_ValueError,
            "the offsets go from %lld to %lld, and the new array %s has %lld elements: let "
            "them go from 0 to %lld, or pass %s=, whose other elements stay as they are",
            (long long)offset_at(offsets, 0), (long long)last, made, (long long)lines->size,
            (long long)lines->size, made);
        return -1;
    }
    return 0;
}
