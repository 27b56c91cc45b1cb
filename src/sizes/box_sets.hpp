// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// Finds the boxes that overlap another without looking at all of them.
class BoxIndex {
public:
    /// `boxes` must outlive the index.
    explicit BoxIndex(std::span<const SizeBox> boxes);

    /// Cuts the part of `box` that lies outside of the first `count` boxes into boxes.
    [[nodiscard]] std::vector<SizeBox> outside(const SizeBox& box, std::size_t count) const;

    /// The indexes of the boxes that hold `sizes`, in any order.
    [[nodiscard]] std::vector<std::size_t> holding(std::span<const std::int64_t> sizes) const;

private:
    struct Entry {
        const SizeBox* box = nullptr;
        std::size_t index = 0;
        std::int64_t furthest = 0;  ///< the largest end of this box and those before it
    };
    std::vector<Entry> entries_;  ///< by their first size
};

/// Cuts the part of `boxes` that lies outside of all `others` into boxes.
std::vector<SizeBox> outside(std::span<const SizeBox> boxes, std::span<const SizeBox> others);

/// The sizes of `boxes`, as boxes that have none in common. Equal for equal sizes, however `boxes`
/// are cut and ordered.
std::vector<SizeBox> united(std::span<const SizeBox> boxes);

/// The smallest box that holds all of these, of which there is at least one.
SizeBox box_around(std::span<const SizeBox> boxes);

/// The share of `whole` that the boxes hold, in octaves by octaves: 1 is all of it.
double share_of(std::span<const SizeBox> boxes, const SizeBox& whole);

}  // namespace jitune::internal
