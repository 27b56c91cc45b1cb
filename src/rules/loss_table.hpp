// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// The loss of a configuration at a problem, as far as measurements tell it.
struct LossCell {
    enum class State : std::uint8_t {
        unknown,    ///< measured neither there nor at a problem that is near
        measured,   ///< there
        estimated,  ///< at a problem of the same types and device that is near
        excluded,   ///< the problem's constraints exclude it
    };
    State state = State::unknown;
    double loss = 0;  ///< its time over the best one there, at least 1; 0: not known

    [[nodiscard]] bool is_known() const {
        return state == State::measured || state == State::estimated;
    }
};

/// The losses of configurations at problems, which are numbered, both.
struct LossTable {
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    struct Problem {
        std::string types;  ///< RecordKey::types
        std::string device_class;
        std::int64_t alignment = 1;
        std::string size_text;  ///< "n=1048576"
        Sizes sizes;
        LossCell standard;  ///< of what the parameters' own defaults give
        LossCell present;   ///< of what the template's tables [[default]] give
    };
    std::vector<Problem> problems;
    /// Configuration::text(), and in how many values each differs from the parameters' defaults.
    std::vector<std::string> configurations;
    std::vector<std::size_t> differing;
    std::vector<LossCell> cells;  ///< by configuration, then by problem

    [[nodiscard]] const LossCell& at(std::size_t configuration, std::size_t problem) const {
        return cells[configuration * problems.size() + problem];
    }
    [[nodiscard]] LossCell& at(std::size_t configuration, std::size_t problem) {
        return cells[configuration * problems.size() + problem];
    }
};

/// Sets what is unknown, and not excluded, to the loss at the nearest problem of the same types and
/// device at which the configuration is measured, at most `most_octaves` away. Of equally near
/// ones, one of the same alignment.
void estimate_unknown(LossTable& table, double most_octaves = 2);

/// The losses of some answers to problems.
struct LossSummary {
    std::size_t problems = 0;
    std::size_t estimated = 0;  ///< of the problems
    std::size_t unknown = 0;    ///< of the problems; they have no part in the figures below
    double geometric_mean = 0;  ///< 0: nothing is known
    double worst = 0;
    std::size_t worst_problem = LossTable::kNone;
};

/// `answers[i]` is the answer to problem i; of those in `problems`.
LossSummary summary_of(std::span<const LossCell> answers, std::span<const std::size_t> problems);

}  // namespace jitune::internal
