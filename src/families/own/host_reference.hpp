// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "backend/platform.hpp"
#include "template/problem.hpp"
#include "tuning/binary_cache.hpp"

namespace jitune::internal {

/// The text of a template in two: what its device's compiler gets, and what stands between each
/// `#ifdef JITUNE_HOST` and its `#endif`, for the host's. Both keep every line where it is.
struct SplitText {
    std::string device;
    std::string host;  ///< empty where there is no such section
};
SplitText split_host_text(const std::string& text);

/// A function of the template's author's that gives the right outputs, compiled by the host's
/// compiler and called in this process. Thread-safe.
class HostReference {
public:
    explicit HostReference(TemplateSource source);

    /// Calls what `instance` names with these cells as its arguments, in order: pointers to host
    /// memory and scalars. Throws Error(compile) with the compiler's words, Error(device) where the
    /// function takes another number of arguments, Error(unavailable) where there is no compiler.
    void call(const Instance& instance, std::span<const std::uint64_t> cells);

private:
    TemplateSource source_;
    std::unique_ptr<Platform> host_;
    BinaryCache binaries_;
};

}  // namespace jitune::internal
