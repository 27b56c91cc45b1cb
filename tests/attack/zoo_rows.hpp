// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attack/zoo.hpp"

namespace jitune::internal {

inline constexpr auto kWrong = Verdict::wrong_result;
inline constexpr auto kCrashed = Verdict::crashed;
inline constexpr auto kHung = Verdict::timed_out;
inline constexpr auto kFailed = Verdict::launch_failed;

extern const std::span<const Behaviour> kHostZoo;
extern const std::span<const Behaviour> kCudaZoo;

}  // namespace jitune::internal
