// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, this makes one of its calls fail, as the environment says:
//
//   FAIL_CALL     the name of a function in the table below; unset: none fails
//   FAIL_AT       which of its calls fails, counted from 1
//   FAIL_FOREVER  if set: all later calls fail, too
//   FAIL_COUNT    a file that gets the number of calls of each function, a line for each, when the
//                 process ends normally
//   FAIL_WORKER   if set: calls fail in the workers of a command, and not in the command
//
// Other programs that the process starts are left alone. To add a function: a row, and below it
// the function of the same name, which asks `fails` first.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

namespace {

/// A function that can fail, and the usual errno of its failure.
struct Row {
    const char* name;
    int error;
};

enum Call {
    kMalloc,
    kMmap,
    kThread,
    kSpawn,
    kOpen,
    kRead,
    kPread,
    kWrite,
    kPwrite,
    kFsync,
    kFtruncate,
    kFcntl,
    kLock,
    kFlock,
    kPoll,
    kSend,
    kRecv,
    kCalls
};

constexpr Row rows[kCalls] = {
    {"malloc", ENOMEM},      {"mmap", ENOMEM},   {"pthread_create", EAGAIN},
    {"posix_spawn", EAGAIN}, {"open", EMFILE},   {"read", EIO},
    {"pread", EIO},          {"write", ENOSPC},  {"pwrite", ENOSPC},
    {"fsync", EIO},          {"ftruncate", EIO}, {"fcntl", ENOLCK},
    {"lock", ENOLCK},  // fcntl where it asks for a lock
    {"flock", ENOLCK},       {"poll", ENOMEM},   {"send", EPIPE},
    {"recv", ECONNRESET},
};

int chosen = kCalls;
long fail_at = 0;
bool forever = false;
const char* count_file = nullptr;
std::atomic<long> calls[kCalls];

/// Counts a call. True, with errno set, if this one is to fail.
bool fails(Call call) {
    const long number = ++calls[call];
    if (call != chosen || number < fail_at || (number > fail_at && !forever)) {
        return false;
    }
    errno = rows[call].error;
    return true;
}

/// The function that the program would call without this library.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Static objects of the program are made after this.
__attribute__((constructor(101))) void start(int count, char** arguments) {
    count_file = getenv("FAIL_COUNT");
    const bool is_worker = count > 1 && strcmp(arguments[1], "worker") == 0;
    if (getenv("FAIL_WORKER") != nullptr && !is_worker) {
        return;
    }
    const char* const name = getenv("FAIL_CALL");
    const char* const at = getenv("FAIL_AT");
    fail_at = at == nullptr ? 0 : strtol(at, nullptr, 10);
    forever = getenv("FAIL_FOREVER") != nullptr;
    unsetenv("LD_PRELOAD");
    for (int call = 0; name != nullptr && call < kCalls; ++call) {
        chosen = strcmp(name, rows[call].name) == 0 ? call : chosen;
    }
    if (name != nullptr && chosen == kCalls) {
        static const char kMessage[] = "fail_calls: FAIL_CALL names no function of the table\n";
        _exit(write(STDERR_FILENO, kMessage, sizeof kMessage - 1) > 0 ? 99 : 98);
    }
}

__attribute__((destructor)) void end() {
    chosen = kCalls;
    const int file = count_file == nullptr
                         ? -1
                         : open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (int call = 0; file >= 0 && call < kCalls; ++call) {
        dprintf(file, "%s %ld\n", rows[call].name, calls[call].load());
    }
    close(file);
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

void* mmap(void* place, size_t bytes, int rights, int flags, int file, off_t offset) {
    static const auto next = real<decltype(mmap)>("mmap");
    return fails(kMmap) ? MAP_FAILED : next(place, bytes, rights, flags, file, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
    static const auto next = real<decltype(pthread_create)>("pthread_create");
    return fails(kThread) ? errno : next(thread, attributes, run, argument);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[],
                char* const environment[]) {
    static const auto next = real<decltype(posix_spawn)>("posix_spawn");
    return fails(kSpawn) ? errno : next(pid, path, actions, attributes, arguments, environment);
}

int open(const char* path, int flags, ...) {
    static const auto next = real<decltype(open)>("open");
    va_list more;
    va_start(more, flags);
    const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    return fails(kOpen) ? -1 : next(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

ssize_t read(int file, void* bytes, size_t count) {
    static const auto next = real<decltype(read)>("read");
    return fails(kRead) ? -1 : next(file, bytes, count);
}

ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
    static const auto next = real<decltype(pread)>("pread");
    return fails(kPread) ? -1 : next(file, bytes, count, offset);
}

ssize_t pread64(int file, void* bytes, size_t count, off_t offset) __attribute__((alias("pread")));

ssize_t write(int file, const void* bytes, size_t count) {
    static const auto next = real<decltype(write)>("write");
    return fails(kWrite) ? -1 : next(file, bytes, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
    static const auto next = real<decltype(pwrite)>("pwrite");
    return fails(kPwrite) ? -1 : next(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t offset)
    __attribute__((alias("pwrite")));

int fsync(int file) {
    static const auto next = real<decltype(fsync)>("fsync");
    return fails(kFsync) ? -1 : next(file);
}

int fdatasync(int file) {
    static const auto next = real<decltype(fdatasync)>("fdatasync");
    return fails(kFsync) ? -1 : next(file);
}

int ftruncate(int file, off_t size) {
    static const auto next = real<decltype(ftruncate)>("ftruncate");
    return fails(kFtruncate) ? -1 : next(file, size);
}

int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));

int fcntl(int file, int command, ...) {
    static const auto next = real<decltype(fcntl)>("fcntl");
    va_list more;
    va_start(more, command);
    void* const argument = va_arg(more, void*);
    va_end(more);
    const bool locks = command == F_SETLK || command == F_GETLK || command == F_OFD_SETLK;
    return fails(kFcntl) || (locks && fails(kLock)) ? -1 : next(file, command, argument);
}

int fcntl64(int file, int command, ...) __attribute__((alias("fcntl")));

int flock(int file, int operation) {
    static const auto next = real<decltype(flock)>("flock");
    return fails(kFlock) ? -1 : next(file, operation);
}

int poll(pollfd* files, nfds_t count, int patience) {
    static const auto next = real<decltype(poll)>("poll");
    return fails(kPoll) ? -1 : next(files, count, patience);
}

ssize_t send(int socket, const void* bytes, size_t count, int flags) {
    static const auto next = real<decltype(send)>("send");
    return fails(kSend) ? -1 : next(socket, bytes, count, flags);
}

ssize_t recv(int socket, void* bytes, size_t count, int flags) {
    static const auto next = real<decltype(recv)>("recv");
    return fails(kRecv) ? -1 : next(socket, bytes, count, flags);
}

}  // extern "C"
