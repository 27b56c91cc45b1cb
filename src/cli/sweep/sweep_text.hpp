// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/formats/json.hpp"
#include "cli/formats/table.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "sweep/sweep_result.hpp"

namespace jitune::internal {

/// The table of a sweep's rows, in columns that fit its problems. Several devices have a column.
/// Each problem has a line; in a whole table (kWhole), each range has one, too. The plan must
/// outlive it.
class SweepTable {
public:
    SweepTable(const SweepPlan& plan, const std::vector<std::string>& devices, std::size_t width);

    [[nodiscard]] std::string header() const { return table_.header(); }
    [[nodiscard]] std::string lines(const SweepRow& row) const;

private:
    [[nodiscard]] std::string line(const SweepRow& row) const;
    /// The metric of the plan, or the rate of the bytes; empty if it is not known.
    [[nodiscard]] std::string rate_of(const SweepRow& row) const;
    [[nodiscard]] Table::Cells cells(std::size_t problem, const std::string& device,
                                     const Table::Cells& rest) const;

    const SweepPlan& plan_;
    bool several_devices_;
    bool is_whole_;
    Table table_;
};

/// The line above the table: kernel, devices, compilers, settings and strategy.
std::string sweep_title(const SweepPlan& plan, const SweepDescription& sweep);

/// The meaning of the marks that stand in the table.
std::string sweep_legend(const std::vector<SweepRow>& rows);

/// The lines below the table: its marks, how many problems were tuned, where they are stored, and
/// last what was gained over what answered before, and how much of what was asked for is served.
std::string sweep_summary(const SweepPlan& plan, const SweepResult& result);

Json sweep_json(const SweepPlan& plan, const SweepResult& result);

/// One of the "rows" of the sweep's JSON.
Json sweep_row_json(const SweepPlan& plan, const SweepRow& row, bool has_database);

int sweep_exit_code(const SweepResult& result);

/// How much of the sizes that a problem asks for has winners that are not unsure, nor
/// provisional if they are of single sizes: 1 is all.
double served_share(const SweepProblem& problem, const SweepRow& row);

/// The last line of a sweep: what was gained over what answered before, and how much of all that
/// was asked for is served for sure, also of what was not begun. Advice stands before it if not all
/// is served.
std::string sweep_gain(const SweepPlan& plan, const SweepResult& result);

}  // namespace jitune::internal
