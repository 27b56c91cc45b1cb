// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, this makes one of its calls fail, as the environment says:
//
//   FAIL_CALL     the name of a function in the table below
//   FAIL_AT       which of its calls fails, counted from 1; 0: none
//   FAIL_FOREVER  if set: all later calls fail, too
//   FAIL_COUNT    a file that gets the number of calls when the process ends normally
//
// Programs that the process starts are left alone. To add a function: a row, and below it the
// function of the same name, which asks `fails` first.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace {

/// A function that can fail, and the errno of its failure.
struct Row {
    const char* name;
    int error;
    bool chosen;
};

enum Call { kMalloc, kCalls };

Row rows[kCalls] = {{"malloc", ENOMEM, false}};

long fail_at = 0;
bool forever = false;
const char* count_file = nullptr;
std::atomic<long> calls{0};

/// Counts a call of the chosen function. True, with errno set, if this one is to fail.
bool fails(Call call) {
    const Row& row = rows[call];
    if (!row.chosen) {
        return false;
    }
    const long number = ++calls;
    if (fail_at == 0 || number < fail_at || (number > fail_at && !forever)) {
        return false;
    }
    errno = row.error;
    return true;
}

// Static objects of the program are made after this.
__attribute__((constructor(101))) void start() {
    const char* const name = getenv("FAIL_CALL");
    const char* const at = getenv("FAIL_AT");
    fail_at = at == nullptr ? 0 : strtol(at, nullptr, 10);
    forever = getenv("FAIL_FOREVER") != nullptr;
    count_file = getenv("FAIL_COUNT");
    unsetenv("LD_PRELOAD");
    bool known = false;
    for (Row& row : rows) {
        row.chosen = name != nullptr && strcmp(name, row.name) == 0;
        known = known || row.chosen;
    }
    if (!known) {
        static const char kMessage[] = "fail_calls: FAIL_CALL names no function of the table\n";
        _exit(write(STDERR_FILENO, kMessage, sizeof kMessage - 1) > 0 ? 99 : 98);
    }
}

__attribute__((destructor)) void end() {
    const long number = calls;
    fail_at = 0;
    const int file = count_file == nullptr
                         ? -1
                         : open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) {
        char text[32];
        const int length = snprintf(text, sizeof text, "%ld\n", number);
        static_cast<void>(!write(file, text, static_cast<size_t>(length)));
        close(file);
    }
}

}  // namespace

extern "C" {

// glibc's own names: dlsym() would allocate.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);

void* malloc(size_t bytes) {
    return fails(kMalloc) ? nullptr : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) {
    return fails(kMalloc) ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* memory, size_t bytes) {
    return fails(kMalloc) ? nullptr : __libc_realloc(memory, bytes);
}

}  // extern "C"
