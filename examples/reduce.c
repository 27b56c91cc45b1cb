/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of host memory from C: a sum, the place of the largest element, and the rows of a matrix. */
#include <stdio.h>
#include <stdlib.h>

#include "jitune/jitune.h"

static void check(jitune_status status) {
    if (status != JITUNE_OK) {
        fprintf(stderr, "%s: %s\n", jitune_status_name(status), jitune_last_message());
        exit(1);
    }
}

int main(void) {
    enum { rows = 1000, columns = 500, n = rows * columns };
    static float values[n];
    for (int i = 0; i < n; ++i) {
        values[i] = (float)(i % 7);
    }

    /* A null session is the standard one. The result has the operation's usual type. */
    float sum = 0;
    jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, n);
    check(jitune_reduce_host(NULL, &reduction, values, NULL, &sum));

    int64_t place = -1;
    reduction = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_ARG_MAX, n);
    check(jitune_reduce_host(NULL, &reduction, values, NULL, &place));
    printf("sum %g, first largest element at %lld\n", sum, (long long)place);

    static double means[rows];
    reduction = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_MEAN, columns);
    reduction.result = JITUNE_FLOAT64;
    reduction.shape = JITUNE_ROWS;
    reduction.outer = rows;
    check(jitune_reduce_host(NULL, &reduction, values, NULL, means));

    /* Everything slow is done here; launches need no look-up. */
    jitune_prepared *prepared = NULL;
    check(jitune_prepare_reduction(NULL, &reduction, "host", &prepared));
    check(jitune_launch(prepared, values, NULL, means, NULL));
    jitune_prepared_destroy(prepared);
    printf("mean of the last row %g\n", means[rows - 1]);
    return 0;
}
