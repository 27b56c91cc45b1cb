// SPDX-License-Identifier: Apache-2.0
#include "dispatch/family.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

const Family* family_of(std::span<const Family> families, std::span<const std::string> spec) {
    const auto found = std::find_if(families.begin(), families.end(), [&](const Family& family) {
        return !spec.empty() && family.name == spec.front();
    });
    return found == families.end() ? nullptr : &*found;
}

Kernel make_kernel(std::span<const Family> families, std::span<const std::string> spec) {
    if (const Family* const family = family_of(families, spec)) {
        return family->make_kernel(spec);
    }
    throw Error(ErrorKind::usage,
                fmt::format("cannot build a kernel of the family \"{}\": this worker has no such "
                            "family; is it of another version of jitune?",
                            spec.empty() ? "" : spec.front()));
}

}  // namespace jitune::internal
