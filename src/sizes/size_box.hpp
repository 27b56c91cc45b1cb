// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The sizes of a problem, in the order of its template: {rows, columns}. Each is at least 1.
using Sizes = std::vector<std::int64_t>;

/// All sizes from `from` to `to`, both included, in each dimension. Several boxes are the sizes
/// that a winner serves.
struct SizeBox {
    Sizes from;
    Sizes to;

    /// Only these sizes.
    static SizeBox point(std::span<const std::int64_t> sizes);
    /// The sizes that differ from these by at most one part of `parts` in each dimension.
    static SizeBox near(std::span<const std::int64_t> sizes, std::int64_t parts);

    [[nodiscard]] bool contains(std::span<const std::int64_t> sizes) const;
    [[nodiscard]] bool overlaps(const SizeBox& other) const;

    /// The sizes that lie in both boxes, which overlap.
    [[nodiscard]] SizeBox common(const SizeBox& other) const;

    /// A part of this box that holds `kept` and nothing of `other`, which does not hold `kept`.
    [[nodiscard]] SizeBox without(const SizeBox& other, std::span<const std::int64_t> kept) const;

    /// Cuts the part of this box that lies outside of `other` into boxes: at most two for each
    /// dimension.
    [[nodiscard]] std::vector<SizeBox> outside(const SizeBox& other) const;

    bool operator==(const SizeBox&) const = default;
};

/// "n=1024..4096; n=8193": the database's text of several boxes, with the names of the sizes.
std::string coverage_text(std::span<const SizeBox> boxes, std::span<const std::string> names);

/// The boxes of a coverage_text(), whatever the names; nothing if it is malformed. The empty text
/// has no boxes.
std::optional<std::vector<SizeBox>> parse_coverage(std::string_view text);

/// True if one of the boxes of a coverage_text() holds `sizes`. Reads the text without making the
/// boxes. Nothing if a part of it is malformed.
std::optional<bool> coverage_holds(std::string_view text, std::span<const std::int64_t> sizes);

/// The sizes of a text such as "rows=3 columns=5"; nothing if it is malformed or a range.
std::optional<Sizes> exact_sizes(std::string_view text);

/// The names of the sizes in such a text, or in a sizes_text().
std::vector<std::string> size_names(std::string_view text);

/// The product of the sizes; 1 for none.
double elements_of(const Sizes& sizes);
/// The elements that a problem of the kernel works on. Segments have their number beside their
/// elements, which is no factor.
double elements_of(std::string_view kernel, const Sizes& sizes);

/// The distance of two problems' sizes, of which there are as many: log2 of each pair's ratio,
/// added up.
double octaves_between(std::span<const std::int64_t> left, std::span<const std::int64_t> right);

/// The octaves that a box spans, all dimensions added up.
inline double octaves_of(const SizeBox& box) {
    return octaves_between(box.from, box.to);
}

/// The distance of the sizes from the nearest ones of a box: 0 if the box holds them, infinity if
/// it has another number of sizes.
double octaves_between(const SizeBox& box, std::span<const std::int64_t> sizes);

/// The distance from the nearest of the boxes.
double octaves_between(std::span<const SizeBox> boxes, std::span<const std::int64_t> sizes);

/// True if one of the boxes holds `sizes`.
bool covers(std::span<const SizeBox> boxes, std::span<const std::int64_t> sizes);

}  // namespace jitune::internal
