// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>

namespace jitune::internal {

/// Uniform in [0, bound). The generator's numbers are fixed by the C++ standard, but std::shuffle
/// and std::uniform_int_distribution are not: with those, equal seeds would propose differently
/// under different standard libraries.
std::size_t below(std::mt19937_64& random, std::size_t bound);

/// A random permutation of [0, size), made as far as it is asked for (Fisher-Yates).
class Permutation {
public:
    Permutation(std::size_t size, std::uint64_t seed) : random_(seed), size_(size) {}

    [[nodiscard]] std::size_t left() const { return size_ - next_; }

    /// left() must not be 0.
    std::size_t next();

private:
    std::mt19937_64 random_;
    std::size_t size_;
    std::size_t next_ = 0;
    /// The entries that differ from the identity: place -> number.
    std::unordered_map<std::size_t, std::size_t> moved_;
};

}  // namespace jitune::internal
