// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "jitune/export.hpp"

JITUNE_BEGIN_NAMESPACE

/// The kind of a failure: enough for a caller to decide what to do without reading the message.
enum class ErrorKind {
    usage,         ///< an argument, option, template or file that the caller gave is wrong
    unavailable,   ///< a device, driver, compiler, jitune command or memory is missing
    compile,       ///< a kernel does not compile
    device,        ///< a driver call or a launch failed
    verify,        ///< no configuration computes the right result
    store,         ///< the tuning database cannot be used; thrown by the command line tool only,
                   ///< because calls go on without a database
    not_prepared,  ///< a call needs compiling or tuning while its stream is being captured
    forked,        ///< the process is a fork of one that had used jitune
};

/// The error code of a library or of the operating system, as that defines it.
struct NativeCode {
    enum class Source {
        none,    ///< jitune found the fault itself; the value is 0
        cuda,    ///< CUresult of the CUDA driver
        nvrtc,   ///< nvrtcResult
        nccl,    ///< ncclResult_t
        sqlite,  ///< SQLite's extended result code
        system,  ///< errno
    };

    Source source = Source::none;
    int value = 0;

    bool operator==(const NativeCode&) const = default;
};

/// The only exception type that jitune throws. The message says what was tried, which call failed,
/// what it answered and what to do.
class JITUNE_API Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message, NativeCode native_code = {})
        : std::runtime_error(message), kind_(kind), native_code_(native_code) {}

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

    /// The code of the call that failed. An error that was caught and thrown again with more
    /// context keeps it, also across the worker process.
    [[nodiscard]] NativeCode native_code() const noexcept { return native_code_; }

private:
    ErrorKind kind_;
    NativeCode native_code_;
};

JITUNE_END_NAMESPACE
