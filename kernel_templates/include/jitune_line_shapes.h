// The lines of a call of a formula: the rows or columns of a row-major matrix, or segments.
#pragma once

#include "jitune_types.h"

namespace jitune {

enum class LineShape { rows, columns, segments };

template <class Offset>
struct Lines {
    Index count;
    Index length;           ///< of each; of segments not read
    const Offset* offsets;  ///< of segments: count + 1 of them
};

/// Where a line lies.
struct LineExtent {
    Index start;   ///< of its first element
    Index n;       ///< elements
    Index stride;  ///< from one to the next
};

template <LineShape shape, class Offset>
JITUNE_FUNCTION LineExtent extent_of(const Lines<Offset>& lines, Index number) {
    if constexpr (shape == LineShape::segments) {
        const auto start = static_cast<Index>(lines.offsets[number]);
        return {start, static_cast<Index>(lines.offsets[number + 1]) - start, 1};
    } else if constexpr (shape == LineShape::columns) {
        return {number, lines.length, lines.count};
    } else {
        return {number * lines.length, lines.length, 1};
    }
}

}  // namespace jitune
