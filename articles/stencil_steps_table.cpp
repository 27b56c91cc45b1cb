// SPDX-License-Identifier: Apache-2.0
#include "articles/stencil_steps_table.hpp"

#include <fmt/format.h>

#include "cli/units.hpp"

namespace jitune::internal {

namespace {

using Outcome = StepRow::Outcome;

std::vector<Column> columns() {
    std::vector<Column> columns{{"radius", Align::right}, {"shared", Align::right, 8}};
    for (std::size_t i = 1; i < std::size(kCoarsenings); ++i) {
        columns.push_back({fmt::format("sh {}", kCoarsenings[i]), Align::right, 6});
    }
    for (const int outputs : kCoarsenings) {
        columns.push_back({fmt::format("rc {}", outputs), Align::right, 6});
    }
    columns.push_back({"jitune", Align::right, 6});
    columns.push_back({"time", Align::right, 8});
    return columns;
}

/// How many times faster than `first`; empty where one of them has no time.
std::string speed_up(const StepRow& first, const StepRow& row) {
    if (first.outcome != Outcome::timed || row.outcome != Outcome::timed) {
        return row.outcome == Outcome::failed ? "failed" : "";
    }
    return fmt::format("{:.2f}x", first.standard.median_ns / row.standard.median_ns);
}

std::string time_of(const StepRow& row) {
    return row.outcome == Outcome::timed ? time_text(row.standard.median_ns) : "";
}

Json row_json(const StepRow& row, const char* step, int radius, int outputs) {
    Json json{{"step", step}, {"radius", radius}};
    json["outputs_per_thread"] = outputs == 0 ? Json() : Json(outputs);
    if (row.outcome == Outcome::timed) {
        json["configuration"] = row.standard.configuration;
        json["median_ns"] = row.standard.median_ns;
        json["noise"] = row.standard.noise;
    } else {
        json["note"] = row.note;
    }
    return json;
}

}  // namespace

StencilStepsTable::StencilStepsTable() : table_(columns()) {}

std::string StencilStepsTable::header() const {
    return table_.header();
}

std::string StencilStepsTable::line(const StencilStepsLine& line) const {
    const StepRow& first = line.shared.front();
    Table::Cells cells{fmt::format("{}", line.radius), time_of(first)};
    for (std::size_t i = 1; i < line.shared.size(); ++i) {
        cells.push_back(speed_up(first, line.shared[i]));
    }
    for (const StepRow& row : line.register_cache) {
        cells.push_back(speed_up(first, row));
    }
    cells.push_back(speed_up(first, line.own));
    cells.push_back(time_of(line.own));
    return table_.line(cells);
}

Json stencil_steps_json(const std::vector<StencilStepsLine>& lines) {
    Json rows = Json::array();
    for (const StencilStepsLine& line : lines) {
        for (std::size_t i = 0; i < line.shared.size(); ++i) {
            const int outputs = kCoarsenings[i];
            rows.push_back(row_json(line.shared[i], "shared", line.radius, outputs));
            rows.push_back(
                row_json(line.register_cache[i], "register_cache", line.radius, outputs));
        }
        rows.push_back(row_json(line.own, "jitune", line.radius, 0));
    }
    return rows;
}

}  // namespace jitune::internal
