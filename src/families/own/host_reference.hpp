// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "backend/platform.hpp"
#include "template/problem.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {

/// The text of a template in two parts. Lines of the other part are empty in each, so that the
/// compilers' messages name the right lines.
struct SplitText {
    std::string device;  ///< for the compiler of the template's device
    std::string host;    ///< between each `#ifdef JITUNE_HOST` and its `#endif`; may be empty
};
SplitText split_host_text(const std::string& text);

/// The host function of a template's author that computes the right outputs. The host's compiler
/// compiles it, and this process calls it. Thread-safe.
class HostReference {
public:
    explicit HostReference(TemplateSource source);

    /// Calls the function of `instance` with these cells as its arguments, in order: pointers to
    /// host memory and scalars. Throws Error(compile) with the compiler's message, Error(device) if
    /// the function takes another number of arguments, Error(unavailable) without a compiler.
    void call(const Instance& instance, std::span<const std::uint64_t> cells);

private:
    TemplateSource source_;
    std::unique_ptr<Platform> host_;
    BinaryCache binaries_;
};

}  // namespace jitune::internal
