// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "support/time_source.hpp"

namespace jitune::internal {

/// When the last part of some work may begin; nothing: at any time.
using Deadline = std::optional<TimeSource::Clock::time_point>;

inline bool is_late(const Deadline& deadline, const TimeSource& time) {
    return deadline && time.now() >= *deadline;
}

}  // namespace jitune::internal
