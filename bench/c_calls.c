// SPDX-License-Identifier: Apache-2.0
// Calls from C that bench/python_gpu_calls.py compares those from Python with: sums of float32 in
// device memory. A module for ctypes. The session is the standard one.
#include <stddef.h>
#include <time.h>

#include "jitune/jitune.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Each returns the ns that one of `calls` calls took, or -1.
JITUNE_C_API double reduce_ns(const void* in, void* out, int64_t n, jitune_stream stream,
                              int calls);
JITUNE_C_API double launch_ns(const void* in, void* out, int64_t n, jitune_stream stream,
                              int calls);

double reduce_ns(const void* in, void* out, int64_t n, jitune_stream stream, int calls) {
    const jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, n);
    const double begin = seconds();
    for (int i = 0; i < calls; ++i) {
        if (jitune_reduce(NULL, &sum, in, NULL, out, stream) != JITUNE_OK) {
            return -1;
        }
    }
    return 1e9 * (seconds() - begin) / calls;
}

double launch_ns(const void* in, void* out, int64_t n, jitune_stream stream, int calls) {
    static jitune_prepared* prepared;
    static int64_t size;
    if (size != n) {
        const jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, n);
        jitune_prepared_destroy(prepared);
        prepared = NULL;
        size = n;
        if (jitune_prepare_reduction(NULL, &sum, NULL, &prepared) != JITUNE_OK) {
            return -1;
        }
    }
    const double begin = seconds();
    for (int i = 0; i < calls; ++i) {
        if (jitune_launch(prepared, in, NULL, out, stream) != JITUNE_OK) {
            return -1;
        }
    }
    return 1e9 * (seconds() - begin) / calls;
}
