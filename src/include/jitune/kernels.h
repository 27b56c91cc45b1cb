// SPDX-License-Identifier: Apache-2.0
// Kernels of your own and formulas of the C interface. Include jitune/jitune.h.
#ifndef JITUNE_KERNELS_H
#define JITUNE_KERNELS_H

#include "jitune/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Kernels of your own ----

typedef struct jitune_kernel jitune_kernel;

/// A type parameter of the template and the name of its value: {"element", "float32"}.
typedef struct jitune_kernel_type {
    const char* parameter;
    const char* type;
} jitune_kernel_type;

/// A size of a call. A null name: by position.
typedef struct jitune_size {
    const char* name;
    int64_t value;
} jitune_size;

typedef enum jitune_argument_kind JITUNE_INT {
    JITUNE_ARRAY = 0,  ///< a pointer to elements of `type`
    JITUNE_POINTER,    ///< a pointer to an array of any type; `type` is not read
    JITUNE_VALUE       ///< a scalar of `type`
} jitune_argument_kind;

/// An argument of a kernel. The functions below make one.
typedef struct jitune_argument {
    jitune_argument_kind kind;
    jitune_type type;
    union {
        const void* pointer;
        int64_t integer;   ///< of signed types
        uint64_t natural;  ///< of unsigned types, and the bits of float16 and bfloat16
        float float32;
        double float64;
    } as;
} jitune_argument;

static inline jitune_argument jitune_argument_of(jitune_argument_kind kind, jitune_type type) {
    jitune_argument argument;
    argument.kind = kind;
    argument.type = type;
    argument.as.natural = 0;
    return argument;
}
static inline jitune_argument jitune_array(jitune_type type, const void* pointer) {
    jitune_argument argument = jitune_argument_of(JITUNE_ARRAY, type);
    argument.as.pointer = pointer;
    return argument;
}
static inline jitune_argument jitune_float(float value) {
    jitune_argument argument = jitune_argument_of(JITUNE_VALUE, JITUNE_FLOAT32);
    argument.as.float32 = value;
    return argument;
}
static inline jitune_argument jitune_double(double value) {
    jitune_argument argument = jitune_argument_of(JITUNE_VALUE, JITUNE_FLOAT64);
    argument.as.float64 = value;
    return argument;
}
/// An integer as a scalar of any type but float16 and bfloat16.
static inline jitune_argument jitune_integer(jitune_type type, int64_t value) {
    jitune_argument argument = jitune_argument_of(JITUNE_VALUE, type);
    if (type == JITUNE_FLOAT32) {
        return jitune_float((float)value);
    }
    if (type == JITUNE_FLOAT64) {
        return jitune_double((double)value);
    }
    argument.as.integer = value;
    return argument;
}

/// Reads the kernel template in `file`: docs/tutorial/your_kernel.md. `types` selects a name for
/// each type parameter that has several. The session must outlive the kernel. Fails: usage, with
/// file and line.
JITUNE_C_API jitune_status jitune_kernel_create(jitune_session* session, const char* file,
                                                const jitune_kernel_type* types, size_t type_count,
                                                jitune_kernel** kernel);
JITUNE_C_API void jitune_kernel_destroy(jitune_kernel* kernel);

/// An argument that the template declares.
typedef struct jitune_parameter {
    jitune_type type;
    int is_value;    ///< not 0: a scalar, not an array
    int is_written;  ///< not 0: an array that the kernel writes
    /// Elements that the array must have at least; -1 if the template does not tell from the
    /// sizes alone.
    int64_t count;
} jitune_parameter;

/// Writes the first `capacity` of the arguments that a call with these sizes must bring, and how
/// many there are. Launches do not check how long arrays are. Fails: usage.
JITUNE_C_API jitune_status jitune_kernel_parameters(const jitune_kernel* kernel,
                                                    const jitune_size* sizes, size_t size_count,
                                                    jitune_parameter* parameters, size_t capacity,
                                                    size_t* count);

/// Not 0 if the kernel is for the host, so that its arrays are in host memory.
JITUNE_C_API int jitune_kernel_is_host(const jitune_kernel* kernel);

/// Launches on `stream`; a kernel for the host returns when the work is done. Arguments are those
/// of access in, out, inout and value, in the template's order. Fails as jitune_reduce().
JITUNE_C_API jitune_status jitune_kernel_launch(const jitune_kernel* kernel,
                                                const jitune_size* sizes, size_t size_count,
                                                const jitune_argument* arguments,
                                                size_t argument_count, jitune_stream stream);

// ---- Formulas ----

/// A formula over arrays: "rr = sum(r * r); worst = max(abs(r)); x[i] = x + a * p". It reads each
/// array once, and gives several results and arrays in one pass, unless elements need a result from
/// above. docs/reference/formulas.md has the grammar and the types. The types of the arguments
/// become part of the kernel: calls with other types, or with other outputs, are tuned apart.
typedef struct jitune_formula jitune_formula;

/// What a formula reduces. The functions below make one.
typedef struct jitune_formula_shape {
    jitune_reduce_shape kind;
    int64_t outer, inner;     ///< as jitune_reduce_shape says
    jitune_argument offsets;  ///< of segments; else not read
} jitune_formula_shape;

static inline jitune_formula_shape jitune_formula_shape_of(jitune_reduce_shape kind, int64_t outer,
                                                           int64_t inner, jitune_argument offsets) {
    jitune_formula_shape shape;
    shape.kind = kind;
    shape.outer = outer;
    shape.inner = inner;
    shape.offsets = offsets;
    return shape;
}
/// Arrays of `n` elements, of which each operation has one result.
static inline jitune_formula_shape jitune_flat(int64_t n) {
    return jitune_formula_shape_of(JITUNE_WHOLE, 1, n, jitune_array(JITUNE_INT64, NULL));
}
/// Row-major matrices without gaps; operations reduce each row. A result is an array of a value for
/// each row.
static inline jitune_formula_shape jitune_each_row(int64_t rows, int64_t columns) {
    return jitune_formula_shape_of(JITUNE_ROWS, rows, columns, jitune_array(JITUNE_INT64, NULL));
}
/// The same for each column.
static inline jitune_formula_shape jitune_each_column(int64_t rows, int64_t columns) {
    return jitune_formula_shape_of(JITUNE_COLUMNS, rows, columns, jitune_array(JITUNE_INT64, NULL));
}
/// Arrays of `n` elements; segment k is the elements from offsets[k] on, before offsets[k + 1]. The
/// `segments` + 1 offsets, an array of integers of 4 or 8 bytes, ascend and lie where the arrays
/// are. A result is an array of a value for each segment.
static inline jitune_formula_shape jitune_each_segment(jitune_argument offsets, int64_t segments,
                                                       int64_t n) {
    return jitune_formula_shape_of(JITUNE_SEGMENTS, segments, n, offsets);
}

/// How many values lie at a pointer of a call.
typedef enum jitune_formula_extent JITUNE_INT {
    JITUNE_ELEMENTS = 0,  ///< one for each element; at the place of a result as the shape says
    JITUNE_SCALAR,        ///< one
    JITUNE_PER_ROW,       ///< one for each row, which all elements of the row read; and so on
    JITUNE_PER_COLUMN,
    JITUNE_PER_SEGMENT
} jitune_formula_extent;

/// An array, a scalar or the place of a result, by the name that the formula has for it.
typedef struct jitune_formula_argument {
    const char* name;
    jitune_argument argument;      ///< no JITUNE_POINTER; of an output, JITUNE_ARRAY
    jitune_formula_extent extent;  ///< of the array of an input
} jitune_formula_argument;

static inline jitune_formula_argument jitune_named(const char* name, jitune_argument argument) {
    jitune_formula_argument named;
    named.name = name;
    named.argument = argument;
    named.extent = JITUNE_ELEMENTS;
    return named;
}

struct jitune_custom_operation;  // jitune/jitune.h

/// Reads the formula in `text`, which may call operations of your own by their names; null and 0
/// for none. The session must outlive the formula. Fails: usage, with the place in the text.
JITUNE_C_API jitune_status jitune_formula_create(jitune_session* session, const char* text,
                                                 const struct jitune_custom_operation* operations,
                                                 size_t operation_count, jitune_formula** formula);
JITUNE_C_API void jitune_formula_destroy(jitune_formula* formula);

/// Writes the first `capacity` of the names that the formula reads, in the order in which they
/// appear first, and how many there are. The names are valid as long as the formula. Fails: usage.
JITUNE_C_API jitune_status jitune_formula_inputs(const jitune_formula* formula, const char** names,
                                                 size_t capacity, size_t* count);

/// What a formula gives: a result, or an array that it writes.
typedef struct jitune_formula_result {
    const char* name;  ///< "result" where the formula has none; valid as long as the formula
    int is_array;
    jitune_type type;  ///< where a call does not want another one
} jitune_formula_result;

/// Writes the first `capacity` of what the formula gives for such inputs and such a shape, in the
/// order of its statements, and how many there are. Pointers, values and sizes are not used. An
/// array that is an input, too, keeps its type. Fails: usage.
JITUNE_C_API jitune_status jitune_formula_results(const jitune_formula* formula,
                                                  const jitune_formula_argument* inputs,
                                                  size_t input_count, jitune_formula_shape shape,
                                                  jitune_formula_result* results, size_t capacity,
                                                  size_t* count);

/// Computes over arrays in device memory, on `stream`. Returns before the work is done: everything
/// must stay until then. Outputs are places of results, which have the types of
/// their places, and of all arrays that the formula writes; results that nobody wants may be left
/// out. A written array may lie where the input of its name lies, in place; arrays must not overlap
/// otherwise. While `stream` is captured it fails with not prepared if no call of the same form and
/// size came before, or if work memory is needed. Fails as jitune_reduce().
JITUNE_C_API jitune_status jitune_formula_launch(const jitune_formula* formula,
                                                 const jitune_formula_argument* inputs,
                                                 size_t input_count, jitune_formula_shape shape,
                                                 const jitune_formula_argument* outputs,
                                                 size_t output_count, jitune_stream stream);

/// The same over arrays in host memory, on the host; returns when the work is done.
JITUNE_C_API jitune_status jitune_formula_run(const jitune_formula* formula,
                                              const jitune_formula_argument* inputs,
                                              size_t input_count, jitune_formula_shape shape,
                                              const jitune_formula_argument* outputs,
                                              size_t output_count);

#ifdef __cplusplus
}
#endif

#endif
