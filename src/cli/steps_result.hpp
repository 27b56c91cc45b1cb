// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "articles/step_runner.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// A step with what became of it.
struct StepLine {
    const ReductionStep* step = nullptr;  ///< null: jitune's own sum
    StepRow row;
    double gb_per_s = 0;             ///< if timed
    std::optional<double> speed_up;  ///< over the first step of its article, if both were timed
};

/// All of a run.
struct StepsResult {
    ElementType type = ElementType::float32;
    std::int64_t n = 0;
    std::string device;
    std::string device_name;
    std::string compiler;
    std::optional<double> peak_gb_per_s;
    bool interrupted = false;
    std::vector<StepLine> lines;  ///< those that were come to
};

/// The lines of a run, as they come.
class StepsTable {
public:
    StepsTable(bool tuned, std::optional<double> peak_gb_per_s);
    [[nodiscard]] std::string header() const { return table_.header(); }
    [[nodiscard]] std::string line(const StepLine& line) const;

private:
    bool tuned_;
    std::optional<double> peak_gb_per_s_;
    Table table_;
};

Json steps_json(const StepsResult& result);

int steps_exit_code(const StepsResult& result);

}  // namespace jitune::internal
