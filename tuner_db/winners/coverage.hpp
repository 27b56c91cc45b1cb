// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

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

}  // namespace jitune::internal
