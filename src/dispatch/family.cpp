// SPDX-License-Identifier: Apache-2.0
#include "dispatch/family.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

Kernel make_kernel(std::span<const Family> families, std::span<const std::string> spec) {
    for (const Family& family : families) {
        if (!spec.empty() && family.name == spec.front()) {
            return family.make_kernel(spec);
        }
    }
    throw Error(ErrorKind::usage,
                fmt::format("cannot build a kernel of the family \"{}\": this worker has no such "
                            "family; is it of another version of jitune?",
                            spec.empty() ? "" : spec.front()));
}

}  // namespace jitune::internal
