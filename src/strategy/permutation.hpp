#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace jitune {

/// A random permutation of [0, size), made as far as it is asked for (Fisher-Yates). The
/// generator's numbers are fixed by the C++ standard, but std::shuffle and
/// std::uniform_int_distribution are not: with those, equal seeds would propose differently under
/// different standard libraries.
class Permutation {
public:
    Permutation(std::size_t size, std::uint64_t seed);

    [[nodiscard]] std::size_t left() const { return order_.size() - next_; }

    /// left() must not be 0.
    std::size_t next();

private:
    std::size_t below(std::size_t bound);

    std::mt19937_64 random_;
    std::vector<std::size_t> order_;
    std::size_t next_ = 0;
};

}  // namespace jitune
