#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jitune {

/// What a reduction of known data must give.
struct Expected {
    std::vector<std::byte> value;  ///< of the element type
    double tolerance = 0;          ///< largest absolute difference; 0: the same value
};

/// The reduction of `bytes` bytes that repeat `pattern`, whole elements of the named type: integers
/// in wrapping arithmetic, floats in double with Neumaier's compensation (Z. angew. Math. Mech. 54,
/// 1974). The tolerance of float32 sums grows beyond the sizes at which the data of ReduceWorkload
/// is exact.
Expected reduce_reference(const std::string& element, const std::string& operation,
                          std::span<const std::byte> pattern, std::size_t bytes);

/// Empty if `got` is what was expected, else "got 3, expected 4". A NaN is expected for a NaN.
std::string compare(const std::string& element, const Expected& expected,
                    std::span<const std::byte> got);

}  // namespace jitune
