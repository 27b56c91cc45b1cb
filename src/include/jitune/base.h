// SPDX-License-Identifier: Apache-2.0
// Errors, types and sessions of the C interface. Include jitune/jitune.h.
#ifndef JITUNE_BASE_H
#define JITUNE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define JITUNE_C_API __attribute__((visibility("default")))

/// In C++, too, an enumeration may hold any int: calls refuse those that they do not know.
#ifdef __cplusplus
#define JITUNE_INT : int
#else
#define JITUNE_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Errors ----

typedef enum jitune_status JITUNE_INT {
    JITUNE_OK = 0,
    JITUNE_ERROR_USAGE,  ///< an argument, option, template or file that the caller gave is wrong
    JITUNE_ERROR_UNAVAILABLE,   ///< a device, driver, compiler, jitune command or memory is missing
    JITUNE_ERROR_COMPILE,       ///< a kernel does not compile
    JITUNE_ERROR_DEVICE,        ///< a driver call or a launch failed
    JITUNE_ERROR_VERIFY,        ///< no configuration computes the right result
    JITUNE_ERROR_STORE,         ///< the tuning database cannot be used
    JITUNE_ERROR_NOT_PREPARED,  ///< a call needs compiling or tuning while its stream is being
                                ///< captured
    JITUNE_ERROR_FORKED,        ///< the process is a fork of one that had used jitune
    JITUNE_ERROR_COMMAND,       ///< the work of jitune_command() failed; its message says why
    JITUNE_ERROR_INTERRUPTED,   ///< a progress function asked to stop; finished measurements are
                                ///< kept
    JITUNE_ERROR_INTERNAL       ///< a fault in jitune: please report the message
} jitune_status;

/// Whose code a jitune_native_code is, and what its value means.
typedef enum jitune_native_source JITUNE_INT {
    JITUNE_NATIVE_NONE = 0,  ///< jitune found the fault itself; the value is 0
    JITUNE_NATIVE_CUDA,      ///< CUresult of the CUDA driver
    JITUNE_NATIVE_NVRTC,     ///< nvrtcResult
    JITUNE_NATIVE_NCCL,      ///< ncclResult_t
    JITUNE_NATIVE_SQLITE,    ///< SQLite's extended result code
    JITUNE_NATIVE_SYSTEM     ///< errno
} jitune_native_source;

typedef struct jitune_native_code {
    jitune_native_source source;
    int value;
} jitune_native_code;

/// The message of the calling thread's last call that failed; "" before the first. Valid until the
/// thread's next call that fails. A call that succeeds does not change it.
JITUNE_C_API const char* jitune_last_message(void);

/// The code of the library or system call that failed, of the same call of the calling thread.
JITUNE_C_API jitune_native_code jitune_last_native_code(void);

/// "ok", "usage", "not prepared" ...; "unknown" for other values. Static text.
JITUNE_C_API const char* jitune_status_name(jitune_status status);

/// Frees a text that a function gave to the caller. Null is fine.
JITUNE_C_API void jitune_free(char* text);

/// The version of the library: 200 is 0.2.0; and as text, static.
JITUNE_C_API int jitune_version(void);
JITUNE_C_API const char* jitune_version_text(void);

// ---- Types ----

/// Of elements and results. A bool is one byte, JITUNE_UINT8.
typedef enum jitune_type JITUNE_INT {
    JITUNE_INT8 = 0,
    JITUNE_UINT8,
    JITUNE_INT16,
    JITUNE_UINT16,
    JITUNE_INT32,
    JITUNE_UINT32,
    JITUNE_INT64,
    JITUNE_UINT64,
    JITUNE_FLOAT16,   ///< IEEE 754 binary16
    JITUNE_BFLOAT16,  ///< the upper half of a float32
    JITUNE_FLOAT32,
    JITUNE_FLOAT64
} jitune_type;

/// What is reduced to one result each.
typedef enum jitune_reduce_shape JITUNE_INT {
    JITUNE_WHOLE = 0,  ///< `inner` elements to one result; `outer` is not read
    JITUNE_ROWS,  ///< a row-major matrix of `outer` rows and `inner` columns: a result for each row
    JITUNE_COLUMNS,  ///< the same: a result for each column
    JITUNE_SEGMENTS  ///< `outer` segments of `inner` elements in total: a result for each segment
} jitune_reduce_shape;

/// A cudaStream_t or CUstream. Null: the legacy default stream.
typedef struct CUstream_st* jitune_stream;

// ---- Sessions ----

typedef struct jitune_options jitune_options;
typedef struct jitune_session jitune_session;

typedef enum jitune_log_level JITUNE_INT {
    JITUNE_LOG_OFF = 0,
    JITUNE_LOG_ERROR,
    JITUNE_LOG_WARNING,
    JITUNE_LOG_INFO,
    JITUNE_LOG_DEBUG
} jitune_log_level;

/// Receives a message, which is valid during the call. May be called from any thread, and must not
/// call jitune.
typedef void (*jitune_log_sink)(jitune_log_level level, const char* message, void* user);

/// The defaults, changed by the environment (JITUNE_DB ...: docs/reference/environment.md). The
/// caller destroys them. Fails: usage, for a variable's value.
JITUNE_C_API jitune_status jitune_options_create(jitune_options** options);
JITUNE_C_API void jitune_options_destroy(jitune_options* options);

/// Sets one option by its name in struct Options of the C++ interface:
///
///     database              a path, or "none"
///     on_miss               background, now, offline, default
///     tune_on_busy_gpu, frozen, watch_winners        0 or 1
///     record                nothing, misses, all
///     budget, hang_limit, compile_limit              seconds, as in 0.5
///     device                host, cuda, cuda:N, auto
///     strategy              a search strategy, as `jitune --help` lists them
///     seed                  0 to 2^64 - 1
///     worker                a path, or "none"
///     log_level             off, error, warning, info, debug
///
/// Fails: usage, for another name or value; the options are then as before. Not for two threads at
/// a time.
JITUNE_C_API jitune_status jitune_options_set(jitune_options* options, const char* name,
                                              const char* value);

/// Messages go to `sink`, with `user`; null: to standard error. Not for two threads at a time.
JITUNE_C_API jitune_status jitune_options_set_log_sink(jitune_options* options,
                                                       jitune_log_sink sink, void* user);

/// A session: devices, compiled kernels and a tuning database. `options`, which it copies, may be
/// null: as jitune_options_create() makes them. Opens nothing yet. Destroy it before the process
/// ends, after its kernels, formulas and prepared handles; the standard session is never destroyed.
/// Fails: usage.
JITUNE_C_API jitune_status jitune_session_create(const jitune_options* options,
                                                 jitune_session** session);
JITUNE_C_API void jitune_session_destroy(jitune_session* session);

/// A JSON object with the numbers of events since the session was made, by their names in struct
/// Counters of the C++ interface: {"compiles": 0, "tunings": 0 ...}. longest_pause is in
/// microseconds. The caller frees it.
JITUNE_C_API jitune_status jitune_session_counters(jitune_session* session, char** json);

/// A JSON array with an object for each device, and for each platform that has none: id, name,
/// device_class, driver, missing (why it cannot be used; empty if it can). The caller frees it.
JITUNE_C_API jitune_status jitune_session_devices(jitune_session* session, char** json);

/// 32 hexadecimal digits of the table of winners that the database holds: processes with equal
/// digests find the same winners. Reads the whole file. The caller frees it. Fails: store.
JITUNE_C_API jitune_status jitune_session_table_digest(jitune_session* session, char** digest);

#ifdef __cplusplus
}
#endif

#endif
