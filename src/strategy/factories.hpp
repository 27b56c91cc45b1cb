// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "strategy/strategy.hpp"

namespace jitune::internal {

// One per source file of this folder; each is a row of strategies().
std::unique_ptr<Strategy> make_automatic(const SearchSpace& space, std::uint64_t seed,
                                         std::size_t budget);
std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t seed,
                                          std::size_t budget);
std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed,
                                      std::size_t budget);
std::unique_ptr<Strategy> make_surrogate(const SearchSpace& space, std::uint64_t seed,
                                         std::size_t budget);

}  // namespace jitune::internal
