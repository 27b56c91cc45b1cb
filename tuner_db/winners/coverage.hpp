// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A row of the table, and the sizes at which it is the one that answers.
struct ServedSizes {
    const Winner* winner = nullptr;
    std::vector<SizeBox> boxes;  ///< for an unsure row, all its boxes
};

/// The served sizes of all rows of a table, in the order in which find() looks at them. Another
/// program may leave several rows that serve a size: then the first sure one answers.
std::vector<ServedSizes> served_sizes(std::span<const Winner> winners);

/// The sizes that the winners of one key serve.
struct Coverage {
    RecordKey key;  ///< its bucket says nothing
    std::vector<std::string> size_names;
    std::vector<SizeBox> served;        ///< by winners that are not unsure, united()
    std::vector<const Winner*> unsure;  ///< unsure rows
    std::vector<SizeBox> holes;         ///< of one size: between the smallest and the largest
    /// How much of the box around all served sizes is served, in octaves by octaves: 1 is all of
    /// it, 0 is nothing.
    double share = 0;
    std::vector<const Winner*> winners;  ///< the winners that serve something for sure
    std::size_t configurations = 0;      ///< how many different ones `winners` have

    /// The winner with the largest loss bound, or nullptr if none of `winners` has a bound.
    [[nodiscard]] const Winner* worst() const;
};

/// One for each key, ordered by kernel, types, device class, alignment and template. `winners` must
/// outlive the result.
std::vector<Coverage> coverage_of(std::span<const Winner> winners);

/// 32 hexadecimal digits over what winners serve: kernel, types, alignment, template hash, device
/// class, the sizes that are served, configuration and whether it is unsure. The order of the
/// winners does not count, nor how their sizes are cut into rows and boxes, nor any other column.
std::string table_digest(std::span<const Winner> winners);

}  // namespace jitune::internal
