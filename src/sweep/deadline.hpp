// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

namespace jitune::internal {

/// When the last part of some work may begin; nothing: at any time.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline bool is_late(const Deadline& deadline) {
    return deadline && std::chrono::steady_clock::now() >= *deadline;
}

}  // namespace jitune::internal
