// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// A search space whose every configuration was measured before: strategies can be compared on it
/// without a device.
class RecordedSpace {
public:
    struct Row {
        std::vector<Value> values;      ///< one for each parameter
        std::optional<double> time_ns;  ///< of a configuration that works
    };

    /// `parameters` must list the values that occur. Throws Error(usage) for rows that are equal in
    /// all values and for rows of which none works.
    RecordedSpace(const std::vector<Parameter>& parameters, const std::vector<Row>& rows);

    [[nodiscard]] const SearchSpace& space() const { return space_; }
    [[nodiscard]] std::optional<double> time_ns(std::size_t index) const { return times_[index]; }
    [[nodiscard]] double best_ns() const { return best_ns_; }

private:
    SearchSpace space_;
    std::vector<std::optional<double>> times_;
    double best_ns_ = 0;
};

/// Returns, after each evaluation, the best time so far over the best time of the space; infinite
/// until an evaluation worked. Ends after `budget` evaluations or with the strategy. A
/// configuration that failed counts as an evaluation. The strategy is asked for `batch` at a time,
/// and told once all of these are done.
std::vector<double> replay(const RecordedSpace& recorded, std::string_view strategy,
                           std::uint64_t seed, std::size_t budget, std::size_t batch);

}  // namespace jitune::internal
