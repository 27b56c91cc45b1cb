// SPDX-License-Identifier: Apache-2.0
// jitune for C11 and for languages that call C. docs/how-to/call_from_c.md has examples in C and
// Fortran.
//
// - Every function that can fail returns a jitune_status. jitune_last_message() then says what was
//   tried, what is wrong and what to do. No exception leaves a function.
// - A null session is the standard session, which is made from the environment on first use.
// - Functions may be called from any thread, also with the same session, kernel or prepared handle,
//   if their comments say nothing else. Destroy an object once, when no thread uses it.
// - Structs and texts of the caller are read during the call only.
// - Do not cancel a thread (pthread_cancel) that is in a function of jitune.
// - While the major version is 0, structs and functions of two minor versions are incompatible. The
//   library's SOVERSION and the version of its symbols say so.
#ifndef JITUNE_JITUNE_H
#define JITUNE_JITUNE_H

#include "jitune/base.h"
#include "jitune/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Reductions ----

/// docs/reference/reduce.md says what each computes, of which types and of no elements.
typedef enum jitune_reduce_op JITUNE_INT {
    JITUNE_SUM = 0,
    JITUNE_PRODUCT,
    JITUNE_MIN,
    JITUNE_MAX,
    JITUNE_ARG_MIN,
    JITUNE_ARG_MAX,
    JITUNE_MEAN,
    JITUNE_SUM_OF_SQUARES,
    JITUNE_NORM,
    JITUNE_SUM_ABS,
    JITUNE_MAX_ABS,
    JITUNE_ALL,
    JITUNE_ANY,
    JITUNE_COUNT_NONZERO,
    JITUNE_CUSTOM
} jitune_reduce_op;

typedef enum jitune_determinism JITUNE_INT {
    JITUNE_RUN_TO_RUN = 0,  ///< the same bits, on one device and until the problem is tuned again
    JITUNE_ANY_ORDER,  ///< the fastest configuration: sums of floats may differ from call to call
    JITUNE_PINNED      ///< the same bits, also after tuning, by jitune_reduction.configuration
} jitune_determinism;

/// An operation as C++ source text for the device compiler: struct CustomOperation of the C++
/// interface.
typedef struct jitune_custom_operation {
    const char* name;         ///< a C identifier; for messages and the database
    const char* definitions;  ///< C++ in a namespace of its own, without directives; may be null
    const char* state;        ///< the type that is combined: 1 to 4, 8, 12 or 16 bytes
    const char* identity;     ///< an expression of type `state`
    const char* map;          ///< of type `state` over `x`, an element, and `i`, its index
    const char* combine;      ///< of type `state` over `a` and `b`: associative and commutative
    const char* finish;       ///< over `a`, the combination of all, and `n`; null: "a"
    jitune_type result;       ///< the type of `finish`
    double tolerance;  ///< the largest relative difference by rounding in another order; 0: none
} jitune_custom_operation;

/// A reduction without its data. jitune_reduction_of() fills one.
typedef struct jitune_reduction {
    jitune_type element;
    jitune_type result;
    jitune_reduce_op op;
    jitune_determinism determinism;
    const char* configuration;  ///< with JITUNE_PINNED: as jitune_dispatch_info has it; else null
    const jitune_custom_operation* custom;  ///< with JITUNE_CUSTOM; else null
    jitune_reduce_shape shape;
    int64_t outer;  ///< rows or segments
    int64_t inner;  ///< elements, or columns
} jitune_reduction;

/// The reduction of n elements to one value of the operation's usual type: int32, uint32, int64,
/// uint64, float32 or float64 as the element is of no more than 4 bytes or of 8; float64 for the
/// mean and norm of integers, int64 for JITUNE_ARG_MIN, JITUNE_ARG_MAX and JITUNE_COUNT_NONZERO,
/// and uint8 for JITUNE_ALL and JITUNE_ANY. Others may be set afterwards: docs/reference/reduce.md.
JITUNE_C_API jitune_reduction jitune_reduction_of(jitune_type element, jitune_reduce_op op,
                                                  int64_t n);

/// Reduces data in device memory on `stream`, and writes the results there, too. Returns before the
/// work is done: the arrays must stay until then. `offsets` are outer + 1 numbers, for segments
/// only, else null. While `stream` is captured it fails with not prepared if work memory is needed,
/// and leaves the capture alive. Fails: usage, unavailable, compile, device, verify, not prepared,
/// forked.
JITUNE_C_API jitune_status jitune_reduce(jitune_session* session, const jitune_reduction* reduction,
                                         const void* in, const int64_t* offsets, void* out,
                                         jitune_stream stream);

/// Of JITUNE_WHOLE: reduces data in device memory on `stream`, waits, and writes the result to host
/// memory.
JITUNE_C_API jitune_status jitune_reduce_wait(jitune_session* session,
                                              const jitune_reduction* reduction, const void* in,
                                              void* out, jitune_stream stream);

/// Reduces data in host memory; returns when it is done. Offsets are checked. If it fails, the
/// content of `out` is undefined.
JITUNE_C_API jitune_status jitune_reduce_host(jitune_session* session,
                                              const jitune_reduction* reduction, const void* in,
                                              const int64_t* offsets, void* out);

/// Do what jitune_reduce() and jitune_reduce_host() do if the calling thread has reduced the same
/// problem before and nothing but the launch is left to do, or a kernel that comes with the library
/// reduces a small array in host memory; then return 1. Return 0, and do nothing, if those would
/// tune, compile, read, wait for another thread, or fail, and for segments in host memory. For
/// callers who hold a lock that they release for long calls, such as the lock of an interpreter.
JITUNE_C_API int jitune_reduce_known(jitune_session* session, const jitune_reduction* reduction,
                                     const void* in, const int64_t* offsets, void* out,
                                     jitune_stream stream);
JITUNE_C_API int jitune_reduce_host_known(jitune_session* session,
                                          const jitune_reduction* reduction, const void* in,
                                          const int64_t* offsets, void* out);

// ---- Stencils ----

/// How inputs before the first and after the last are replaced.
typedef enum jitune_boundary JITUNE_INT {
    JITUNE_VALID = 0,  ///< not at all: only windows inside the array have an output
    JITUNE_ZERO,
    JITUNE_CLAMP,  ///< by the first and the last input
    JITUNE_WRAP    ///< by the inputs of the other end
} jitune_boundary;

/// The weighted sum of each input's neighbourhood: struct Stencil of the C++ interface.
typedef struct jitune_stencil {
    jitune_type element;    ///< JITUNE_INT32, JITUNE_FLOAT32 or JITUNE_FLOAT64
    int64_t n;              ///< inputs
    int radius;             ///< 1 to 32
    const double* weights;  ///< 2 * radius + 1; null: a plain sum
    int mean;               ///< not 0: divide the plain sum by 2 * radius + 1
    jitune_boundary boundary;
} jitune_stencil;

/// The number of outputs; 0 if there is none, and for an invalid radius.
JITUNE_C_API int64_t jitune_stencil_outputs(const jitune_stencil* stencil);

/// In device memory, on `stream`; returns before the work is done. In host memory; returns when it
/// is done. The arrays must not overlap. Fail as jitune_reduce().
JITUNE_C_API jitune_status jitune_apply_stencil(jitune_session* session,
                                                const jitune_stencil* stencil, const void* in,
                                                void* out, jitune_stream stream);
JITUNE_C_API jitune_status jitune_apply_stencil_host(jitune_session* session,
                                                     const jitune_stencil* stencil, const void* in,
                                                     void* out);

// ---- Entropies ----

/// The entropy of the window around each element of a row-major array: struct Entropy of the C++
/// interface.
typedef struct jitune_entropy {
    jitune_type element;  ///< JITUNE_UINT8, JITUNE_INT32 or JITUNE_FLOAT32
    int64_t rows;
    int64_t columns;
    int window;   ///< width and height: odd, 3 to 15
    int levels;   ///< 2 to 256; elements are 0 to levels - 1
    double base;  ///< of the logarithm: positive, not 1
} jitune_entropy;

/// With a window of 5, 16 levels and natural logarithms.
JITUNE_C_API jitune_entropy jitune_entropy_of(jitune_type element, int64_t rows, int64_t columns);

/// As the functions for stencils; `out` has rows * columns floats.
JITUNE_C_API jitune_status jitune_compute_entropy(jitune_session* session,
                                                  const jitune_entropy* entropy, const void* in,
                                                  float* out, jitune_stream stream);
JITUNE_C_API jitune_status jitune_compute_entropy_host(jitune_session* session,
                                                       const jitune_entropy* entropy,
                                                       const void* in, float* out);

// ---- Prepared handles ----

/// A problem with everything slow done ahead: launches can be captured into a CUDA graph. Launches
/// of one handle share its work memory: do not let two of them, or a launch and a graph that holds
/// one, run at the same time. The handle must outlive its launches and graphs, and its session must
/// outlive the handle.
typedef struct jitune_prepared jitune_prepared;

/// What answers. The texts are valid as long as the handle.
typedef struct jitune_dispatch_info {
    const char* origin;         ///< tuned, stored, nearest, rule, default, pinned
    const char* device;         ///< "cuda:0", "host", "machine"
    const char* device_name;    ///< as the driver names it
    const char* configuration;  ///< "block=256 items_per_thread=8 ..."
    int pending;     ///< 1: a tuning of these sizes waited or was under way at this answer; else 0
    int64_t waited;  ///< microseconds that preparing the handle waited for an answer
    const char* kernel;  ///< "reduce", or the name of a kernel of your own
    /// As databases have them: "accumulator=float32 element=float32 operation=sum". Those of a
    /// formula have its text, too.
    const char* types;
} jitune_dispatch_info;

/// Finds or tunes, compiles, loads and allocates on `device`: a device id such as "cuda:0"; "host",
/// whose launches take host pointers and ignore the stream; "auto"; null or "" for the device of
/// the calling thread's current CUDA context, or device 0 if none is current. A kernel of your own
/// is prepared for the current device, or the host. Fail as jitune_reduce().
JITUNE_C_API jitune_status jitune_prepare_reduction(jitune_session* session,
                                                    const jitune_reduction* reduction,
                                                    const char* device, jitune_prepared** prepared);
JITUNE_C_API jitune_status jitune_prepare_stencil(jitune_session* session,
                                                  const jitune_stencil* stencil, const char* device,
                                                  jitune_prepared** prepared);
JITUNE_C_API jitune_status jitune_prepare_entropy(jitune_session* session,
                                                  const jitune_entropy* entropy, const char* device,
                                                  jitune_prepared** prepared);
JITUNE_C_API jitune_status jitune_kernel_prepare(const jitune_kernel* kernel,
                                                 const jitune_size* sizes, size_t size_count,
                                                 jitune_prepared** prepared);
/// For calls of this form and shape, of sizes of at least 1. Pointers and values are not used.
JITUNE_C_API jitune_status jitune_formula_prepare(const jitune_formula* formula,
                                                  const jitune_formula_argument* inputs,
                                                  size_t input_count, jitune_formula_shape shape,
                                                  const jitune_formula_argument* outputs,
                                                  size_t output_count, const char* device,
                                                  jitune_prepared** prepared);

/// Launches a reduction, stencil or entropy. `offsets` are those of segments, else null. Arrays of
/// stencils must be aligned to 16 bytes. Fails: usage, device, forked.
JITUNE_C_API jitune_status jitune_launch(const jitune_prepared* prepared, const void* in,
                                         const int64_t* offsets, void* out, jitune_stream stream);

/// Launches a kernel of your own, or a formula with the arguments of its inputs, then those of its
/// outputs, then the offsets of segments, as prepared. Fails likewise.
JITUNE_C_API jitune_status jitune_launch_kernel(const jitune_prepared* prepared,
                                                const jitune_argument* arguments,
                                                size_t argument_count, jitune_stream stream);

JITUNE_C_API jitune_status jitune_prepared_info(const jitune_prepared* prepared,
                                                jitune_dispatch_info* info);
JITUNE_C_API void jitune_prepared_destroy(jitune_prepared* prepared);

// ---- Sweeps and the database ----

/// Receives a line that says how far the work is, valid during the call; on the thread that called
/// jitune_command(). Not 0: stop the work.
typedef int (*jitune_progress)(const char* line, void* user);

/// Does what `jitune WORDS... --json` does, with the session's database, and gives its JSON
/// document to the caller, who frees it. {"sweep", "reduce", "--sizes", "2^10..2^20"} tunes ahead;
/// {"db", "list"}, {"db", "explain", "-n", "1000"} and {"stats"} read:
/// docs/reference/command_line.md. The command runs in a process of its own, so that no candidate
/// harms this one. Of the session's options it has the database, `worker`, which says where it is,
/// `frozen` and `hang_limit`; the words say the rest. The session takes new winners over as it does
/// those of other processes. `progress` may be null; sweeps call it about twice a second, and
/// stop at such a call alone. Warnings go to the session's log.
///
/// For commands with --json and --db: sweep, tune, reduce, stencil, entropy, stats, worklist show,
/// db list, show, explain, coverage, verify, digest.
///
/// Fails: usage (wrong words; a session without a database), unavailable (no command, no device),
/// store, command, interrupted. `json` is then null, or what the command has printed all the same,
/// for the caller to free.
JITUNE_C_API jitune_status jitune_command(jitune_session* session, const char* const* words,
                                          size_t word_count, jitune_progress progress, void* user,
                                          char** json);

#ifdef __cplusplus
}
#endif

#endif
