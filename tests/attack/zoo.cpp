// SPDX-License-Identifier: Apache-2.0
#include "attack/zoo.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "attack/zoo_rows.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

std::span<const Behaviour> zoo(PlatformKind platform) {
    return platform == PlatformKind::cuda ? kCudaZoo : kHostZoo;
}

const Behaviour& behaviour_of(PlatformKind platform, std::string_view name) {
    const std::span<const Behaviour> all = zoo(platform);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Behaviour& one) { return one.name == name; });
    if (found == all.end()) {
        throw Error(ErrorKind::usage, fmt::format("no behaviour \"{}\" is in the zoo", name));
    }
    return *found;
}

}  // namespace jitune::internal
