// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/record.hpp"

#include <algorithm>
#include <array>

namespace jitune::internal {

namespace {

/// In the order of the enumerators.
constexpr std::array kVerdicts{"timed",        "compile_failed", "launch_failed",
                               "wrong_result", "timed_out",      "crashed"};

}  // namespace

const char* to_string(Verdict verdict) {
    return kVerdicts.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> verdict_from(std::string_view name) {
    for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
        if (name == kVerdicts[i]) {
            return static_cast<Verdict>(i);
        }
    }
    return std::nullopt;
}

SizedKernel sized_kernel(const Winner& winner) {
    const auto sizes = std::count(winner.sizes.begin(), winner.sizes.end(), '=');
    return {winner.key, static_cast<std::size_t>(sizes)};
}

bool is_same_place(const Provenance& a, const Provenance& b) {
    return a.device_name == b.device_name && a.driver == b.driver && a.compiler == b.compiler;
}

}  // namespace jitune::internal
