// SPDX-License-Identifier: Apache-2.0
#include "result_types.h"

// Of which type the usual result of an operation is.
typedef enum {
    kUnknown,  // not named here
    kSum,      // of floats the elements' own; of integers int64 or uint64
    kExtreme,  // the elements' own
    kAverage,  // of floats the elements' own; of integers float64
    kPlace,    // int64: an index or a count
    kTruth     // a bool
} ResultKind;

// Without a default, so that the compiler warns of an operation that is missing.
static ResultKind kind_of(jitune_reduce_op op) {
    switch (op) {
        case JITUNE_SUM:
        case JITUNE_PRODUCT:
        case JITUNE_SUM_OF_SQUARES:
        case JITUNE_SUM_ABS:
        case JITUNE_MAX_ABS:
            return kSum;
        case JITUNE_MIN:
        case JITUNE_MAX:
            return kExtreme;
        case JITUNE_MEAN:
        case JITUNE_NORM:
            return kAverage;
        case JITUNE_ARG_MIN:
        case JITUNE_ARG_MAX:
        case JITUNE_COUNT_NONZERO:
            return kPlace;
        case JITUNE_ALL:
        case JITUNE_ANY:
            return kTruth;
        case JITUNE_CUSTOM:  // its caller names the type
            break;
    }
    return kUnknown;
}

bool is_signed(jitune_type type) {
    return type == JITUNE_INT8 || type == JITUNE_INT16 || type == JITUNE_INT32 ||
           type == JITUNE_INT64;
}

bool is_float(jitune_type type) {
    return type >= JITUNE_FLOAT16;
}

static void usual_result(const Array* array, ResultKind kind, jitune_type* type, bool* is_bool) {
    *is_bool = kind == kTruth || (kind == kExtreme && array->is_bool);
    if (kind == kTruth) {
        *type = JITUNE_UINT8;
    } else if (kind == kPlace) {
        *type = JITUNE_INT64;
    } else if (kind == kExtreme || is_float(array->type)) {
        *type = array->type;
    } else if (kind == kAverage) {
        *type = JITUNE_FLOAT64;
    } else {
        *type = is_signed(array->type) || array->is_bool || array->kind->is_torch ? JITUNE_INT64
                                                                                  : JITUNE_UINT64;
    }
}

// The usual result takes longer to find than to remember.
jitune_type library_result(jitune_type element, jitune_reduce_op op) {
    static uint8_t known[JITUNE_FLOAT64 + 1]
                        [JITUNE_CUSTOM];  // by type and operation: the result plus 1, or 0
    uint8_t* result = &known[element][op];
    if (*result == 0) {
        *result = (uint8_t)(jitune_reduction_of(element, op, 0).result + 1);
    }
    return (jitune_type)(*result - 1);
}

static jitune_type kernel_result(const Array* array, jitune_reduce_op op, jitune_type wanted) {
    const jitune_type usual = library_result(array->type, op);
    const ResultKind kind = kind_of(op);
    if (kind == kPlace || kind == kTruth) {
        return usual;
    }
    const bool keeps_type = is_float(wanted) || kind == kExtreme;
    if (keeps_type && wanted == array->type && type_bytes(wanted) < type_bytes(usual)) {
        return wanted;
    }
    if (is_float(usual)) {
        return wanted == JITUNE_FLOAT64 ? JITUNE_FLOAT64 : usual;
    }
    const bool is_wide = wanted == JITUNE_INT64 || wanted == JITUNE_UINT64;
    return !is_wide ? usual : is_signed(usual) ? JITUNE_INT64 : JITUNE_UINT64;
}

bool is_native(const ResultTypes* types) {
    const jitune_type kernel = types->kernel, wanted = types->wanted;
    return kernel == wanted || (kernel == JITUNE_UINT64 && wanted == JITUNE_INT64) ||
           (kernel == JITUNE_INT64 && wanted == JITUNE_UINT64) ||
           (kernel == JITUNE_UINT32 && wanted == JITUNE_INT32) ||
           (kernel == JITUNE_INT32 && wanted == JITUNE_UINT32);
}

static int read_dtype(const char* function, const Array* array, ResultKind kind, PyObject* dtype,
                      ResultTypes* types) {
    const bool is_average = kind == kAverage;
    if (kind != kSum && kind != kAverage) {
        PyErr_Format(PyExc_TypeError, "%s takes no dtype: cast the result", function);
        return -1;
    }
    if (type_of_dtype(dtype, &types->wanted, &types->wants_bool) != 0) {
        return -1;
    }
    if (types->wants_bool) {
        PyErr_Format(PyExc_TypeError, "%s takes no dtype bool: compare the result with 0",
                     function);
        return -1;
    }
    if (!is_float(types->wanted) && (is_float(array->type) || is_average)) {
        PyErr_Format(PyExc_TypeError,
                     "%s: dtype %s of the result of %s: pass a floating dtype, and cast the result",
                     function, type_name(types->wanted, types->wants_bool),
                     type_name(array->type, array->is_bool));
        return -1;
    }
    if (is_float(types->wanted) && !is_float(array->type) && !is_average) {
        PyErr_Format(PyExc_TypeError,
                     "%s: dtype %s of the result of integers: cast x first, as by x.astype",
                     function, type_name(types->wanted, false));
        return -1;
    }
    return 0;
}

int result_types(const char* function, const Array* array, jitune_reduce_op op, PyObject* dtype,
                 ResultTypes* types) {
    const ResultKind kind = kind_of(op);
    if (kind == kUnknown) {
        PyErr_Format(PyExc_SystemError,
                     "%s: operation %d has no usual result: name it in python/src/result_types.c",
                     function, (int)op);
        return -1;
    }
    usual_result(array, kind, &types->wanted, &types->wants_bool);
    if (dtype != NULL && dtype != Py_None && read_dtype(function, array, kind, dtype, types) != 0) {
        return -1;
    }
    types->kernel = kernel_result(array, op, types->wanted);
    return 0;
}
