// SPDX-License-Identifier: Apache-2.0
#include "dtype.h"

#include <string.h>

#include "support.h"

#define SUPPORTED "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or float64"

static const struct {
    const char* name;
    uint8_t code, bits;
} rows[] = {
    {"int8", kDLInt, 8},         {"uint8", kDLUInt, 8},     {"int16", kDLInt, 16},
    {"uint16", kDLUInt, 16},     {"int32", kDLInt, 32},     {"uint32", kDLUInt, 32},
    {"int64", kDLInt, 64},       {"uint64", kDLUInt, 64},   {"float16", kDLFloat, 16},
    {"bfloat16", kDLBfloat, 16}, {"float32", kDLFloat, 32}, {"float64", kDLFloat, 64},
};
enum { kRows = sizeof rows / sizeof *rows };
_Static_assert(kRows == JITUNE_FLOAT64 + 1, "a row for each element type");

// Dtypes are few objects, and their names take long to ask for.
enum { kKnown = 32 };
static struct {
    PyObject* dtype;  // kept alive
    jitune_type type;
    bool is_bool;
} known[kKnown];

const char* type_name(jitune_type type, bool is_bool) {
    return is_bool ? "bool" : rows[type].name;
}

DLDataType type_code(jitune_type type, bool is_bool) {
    const DLDataType code = {is_bool ? kDLBool : rows[type].code, is_bool ? 8 : rows[type].bits, 1};
    return code;
}

int type_bytes(jitune_type type) {
    return rows[type].bits / 8;
}

int type_of_code(uint8_t code, int bits, int lanes, const char* name, jitune_type* type,
                 bool* is_bool) {
    *is_bool = code == kDLBool && bits == 8;
    *type = JITUNE_UINT8;
    for (int i = 0; i < kRows && !*is_bool; ++i) {
        if (rows[i].code == code && rows[i].bits == bits && lanes == 1) {
            *type = (jitune_type)i;
            return 0;
        }
    }
    if (!*is_bool) {
        PyErr_Format(PyExc_TypeError,
                     "%s has elements of %d bits that jitune does not know: pass " SUPPORTED, name,
                     bits);
        return -1;
    }
    return 0;
}

static int type_of_name(const char* name, jitune_type* type, bool* is_bool) {
    const char* dot = strrchr(name, '.');  // torch.float32
    name = dot == NULL ? name : dot + 1;
    *is_bool = strcmp(name, "bool") == 0 || strcmp(name, "bool_") == 0;
    *type = JITUNE_UINT8;
    for (int i = 0; i < kRows && !*is_bool; ++i) {
        if (strcmp(name, rows[i].name) == 0) {
            *type = (jitune_type)i;
            return 0;
        }
    }
    if (!*is_bool) {
        PyErr_Format(PyExc_TypeError, "dtype %s is not supported: pass " SUPPORTED, name);
        return -1;
    }
    return 0;
}

int type_of_dtype(PyObject* dtype, jitune_type* type, bool* is_bool) {
    const size_t place = ((uintptr_t)dtype >> 4) % kKnown;
    if (known[place].dtype == dtype) {
        *type = known[place].type;
        *is_bool = known[place].is_bool;
        return 0;
    }
    PyObject* name = call_helper("dtype_name", "(O)", dtype);
    PyObject* text = name == NULL ? NULL : PyUnicode_AsUTF8String(name);
    const char* characters = bytes_text(text);
    const int result = characters == NULL ? -1 : type_of_name(characters, type, is_bool);
    Py_XDECREF(text);
    Py_XDECREF(name);
    if (result == 0 && known[place].dtype == NULL) {
        Py_INCREF(dtype);
        known[place].dtype = dtype;
        known[place].type = *type;
        known[place].is_bool = *is_bool;
    }
    return result;
}
