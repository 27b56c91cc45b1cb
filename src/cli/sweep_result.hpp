// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "cli/table.hpp"
#include "template/kernel.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// One problem of a sweep, of whatever kernel.
struct SweepProblem {
    Problem problem;
    std::function<const Kernel&(const Device& device)> kernel;
    std::string name;    ///< "float32 sum 2^20"
    Table::Cells cells;  ///< what the plan's columns say of it
    Json json;           ///< the same for machines
    double bytes = 0;    ///< that one launch reads and writes
};

/// Names and values: {"determinism", "any"}.
using SweepSettings = std::vector<std::pair<std::string, std::string>>;

/// What a sweep is to tune.
struct SweepPlan {
    std::string kernel;           ///< "reduce"
    SweepSettings settings;       ///< what holds for all problems
    std::vector<Column> columns;  ///< that tell the problems apart
    std::vector<SweepProblem> problems;
};

/// What became of one problem of a sweep.
struct SweepRow {
    SweepProblem problem;
    std::string device;  ///< "cuda:1"
    enum class Outcome { tuned, skipped, failed } outcome = Outcome::tuned;
    std::string note;  ///< why it was skipped or failed

    std::string configuration;
    double median_ns = 0;
    double noise = 0;
    double default_median_ns = 0;
    Certainty certainty;
    bool complete = false;  ///< the whole of what the strategy proposes was tried
    TuneProgress tune;
};

/// All of a sweep.
struct SweepResult {
    std::string kernel;
    SweepSettings settings;
    std::string device;       ///< "cuda:0", of several "cuda:0, cuda:1"
    std::string device_name;  ///< of each model once
    std::string compiler;
    std::string strategy;
    std::uint64_t seed = 0;
    double budget_s = 0;
    std::string database;      ///< empty: nothing was stored
    std::size_t problems = 0;  ///< of all device classes together
    double seconds = 0;
    bool interrupted = false;
    std::int64_t store_errors = 0;
    std::vector<SweepRow> rows;  ///< the problems that were come to

    [[nodiscard]] std::size_t count(SweepRow::Outcome outcome) const;
};

/// The text of a sweep's rows, in columns that fit its problems; a device is a column where there
/// are several.
class SweepTable {
public:
    SweepTable(const SweepPlan& plan, const std::vector<std::string>& devices);

    [[nodiscard]] std::string header() const { return table_.header(); }
    [[nodiscard]] std::string line(const SweepRow& row) const;

private:
    [[nodiscard]] Table::Cells cells(const SweepProblem& problem, const std::string& device,
                                     const Table::Cells& rest) const;

    bool several_devices_;
    Table table_;
};

/// What to read under the table.
std::string sweep_summary(const SweepResult& result);

Json sweep_json(const SweepResult& result);

int sweep_exit_code(const SweepResult& result);

}  // namespace jitune::internal
