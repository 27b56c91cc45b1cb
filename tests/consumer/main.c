/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jitune/jitune.h>

/* Runs the command of this jitune on the session's database, which need not be there. */
static int runs_command(jitune_session* session) {
    const char* const words[] = {"db", "explain", "-n", "1000", "--device", "host"};
    char* json = NULL;
    const jitune_status status = jitune_command(session, words, 6, NULL, NULL, &json);
    if (status != JITUNE_OK) {
        fprintf(stderr, "%s\n", jitune_last_message());
    }
    free(json);
    return status == JITUNE_OK;
}

int main(int argc, char** argv) {
    const double values[] = {1, 2, 3.5};
    double sum = 0;
    jitune_options* options = NULL;
    jitune_session* session = NULL;
    if (jitune_options_create(&options) != JITUNE_OK ||
        jitune_options_set(options, "database", argc > 1 ? argv[1] : "none") != JITUNE_OK ||
        jitune_options_set(options, "on_miss", "default") != JITUNE_OK ||
        jitune_session_create(options, &session) != JITUNE_OK) {
        return 1;
    }
    jitune_options_destroy(options);
    const jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT64, JITUNE_SUM, 3);
    if (jitune_reduce_host(session, &reduction, values, NULL, &sum) != JITUNE_OK) {
        fprintf(stderr, "%s\n", jitune_last_message());
        return 2;
    }
    /* An exception is thrown inside, and must not come out. */
    if (jitune_reduce_host(session, NULL, values, NULL, &sum) != JITUNE_ERROR_USAGE ||
        strstr(jitune_last_message(), "reduction is null") == NULL) {
        return 3;
    }
    if (argc > 1 && !runs_command(session)) {
        return 5;
    }
    jitune_session_destroy(session);
    printf("sum %g\n", sum);
    return sum == 6.5 ? 0 : 4;
}
