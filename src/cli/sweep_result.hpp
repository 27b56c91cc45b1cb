#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/table.hpp"
#include "engine/tuner.hpp"
#include "jitune/reduce.hpp"

namespace jitune {

/// What became of one problem of a sweep.
struct SweepRow {
    detail::ReduceRequest problem;
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
    std::string device;
    std::string device_name;
    std::string compiler;
    std::string determinism;
    std::string strategy;
    std::uint64_t seed = 0;
    double budget_s = 0;
    std::string database;  ///< empty: nothing was stored
    std::size_t problems = 0;
    double seconds = 0;
    bool interrupted = false;
    std::int64_t store_errors = 0;
    std::vector<SweepRow> rows;  ///< the problems that were come to

    [[nodiscard]] std::size_t count(SweepRow::Outcome outcome) const;
};

/// The text of a sweep's rows, in columns that fit its problems. The result type is a column only
/// where a problem has another than its operation's own.
class SweepTable {
public:
    explicit SweepTable(std::span<const detail::ReduceRequest> problems);

    [[nodiscard]] std::string header() const { return table_.header(); }
    [[nodiscard]] std::string line(const SweepRow& row) const;

private:
    [[nodiscard]] Table::Cells cells(const detail::ReduceRequest& problem, Table::Cells rest) const;

    bool results_;
    Table table_;
};

/// What to read under the table.
std::string sweep_summary(const SweepResult& result);

Json sweep_json(const SweepResult& result);

int sweep_exit_code(const SweepResult& result);

}  // namespace jitune
