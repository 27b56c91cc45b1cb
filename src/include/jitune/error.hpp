// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "jitune/export.hpp"

JITUNE_BEGIN_NAMESPACE

/// What went wrong, so that a caller can decide without reading the message.
enum class ErrorKind {
    usage,        ///< an argument, option, template or file of the caller's is wrong
    unavailable,  ///< no device, driver, compiler or memory for what was asked
    compile,      ///< a kernel did not compile
    device,       ///< a driver or launch call failed
    verify,       ///< no configuration gave the right result
    store,  ///< the tuning database cannot be used (the command line tool only; dispatch goes on
            ///< without)
    not_prepared,  ///< slow work was needed where only a launch is allowed (stream capture)
    forked,        ///< the process was forked after jitune had been used
};

/// The one exception of jitune. The message says what was tried, which call failed, what it
/// answered and what to do.
class JITUNE_API Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

private:
    ErrorKind kind_;
};

JITUNE_END_NAMESPACE
