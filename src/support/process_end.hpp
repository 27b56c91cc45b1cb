// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace jitune::internal {

/// The end of the process by exit(), by a return of main() or by quick_exit(). exit() runs the
/// destructors of libraries, the latest registered first, while other threads go on. Thread-safe.
namespace process_end {

/// Has `stop` called once when the process ends, before the destructors of the libraries for which
/// come_before_destructors() was called. Takes one function for the whole program: later ones are
/// ignored.
void call(void (*stop)());

/// Call it after a library was loaded for the life of the process, and after its first use, in
/// which it may register destructors.
void come_before_destructors();

/// Throws Error(unavailable) if the process is ending.
void refuse();

/// Work that must be over before the destructors of libraries run, because it would leave processes
/// or files behind. While an object lives, the end of the process waits, but not for ever.
class Work {
public:
    /// As refuse().
    Work();
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    /// A stop is requested when the process ends.
    [[nodiscard]] static std::stop_token stop();
};

/// The load of a library, or the first work in it, which may register thousands of destructors
/// while the process ends. exit() would run them, the latest first, before it comes to the end, and
/// while the library is in use. So the end is registered again five times a millisecond, and waits
/// for this work: no more is destroyed early than what was made since then.
class FirstUse {
public:
    /// As refuse().
    FirstUse();
    ~FirstUse();
    FirstUse(const FirstUse&) = delete;
    FirstUse& operator=(const FirstUse&) = delete;

private:
    const Work work_;
    std::jthread registers_;
};

}  // namespace process_end

}  // namespace jitune::internal
