// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/values.hpp"

#include <array>

namespace jitune::bench {

namespace {

struct Range {
    std::int32_t lowest;
    std::uint32_t span;
};

constexpr Range kSignedByte{-127, 255};
constexpr Range kWide{-2047, 4095};  // 2^30 squares stay exact in a double
constexpr Range kWideUnsigned{0, 2048};

/// By ElementType.
constexpr std::array<Range, 12> kRanges{kSignedByte, {0, 256},      kWide,       kWideUnsigned,
                                        kWide,       kWideUnsigned, kWide,       kWideUnsigned,
                                        kSignedByte, kSignedByte,   kSignedByte, kWide};

}  // namespace

Values values_for(ElementType element, ReduceOp op) {
    const Range range = kRanges.at(static_cast<std::size_t>(element));
    const bool product = op == ReduceOp::product;
    const bool is_float = element >= ElementType::float16;
    return {range.lowest, range.span, product ? 1U : 0U, product && is_float};
}

}  // namespace jitune::bench
