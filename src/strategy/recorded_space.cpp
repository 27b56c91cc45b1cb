// SPDX-License-Identifier: Apache-2.0
#include "strategy/recorded_space.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "jitune/error.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

std::vector<Configuration> configurations_of(const std::vector<Parameter>& parameters,
                                             const std::vector<RecordedSpace::Row>& rows) {
    std::vector<Configuration> configurations;
    for (const RecordedSpace::Row& row : rows) {
        std::vector<Configuration::Entry> entries;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            entries.emplace_back(parameters[i].name, row.values[i]);
        }
        configurations.emplace_back(std::move(entries));
    }
    return configurations;
}

}  // namespace

RecordedSpace::RecordedSpace(const std::vector<Parameter>& parameters, const std::vector<Row>& rows)
    : space_(SearchSpace::of(parameters, configurations_of(parameters, rows))),
      times_(space_.size()) {
    const std::vector<Configuration> configurations = configurations_of(parameters, rows);
    best_ns_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        times_[space_.find(configurations[i])] = rows[i].time_ns;
        best_ns_ = std::min(best_ns_, rows[i].time_ns.value_or(best_ns_));
    }
    if (best_ns_ == std::numeric_limits<double>::infinity()) {
        throw Error(ErrorKind::usage, "no configuration of the recorded space works");
    }
}

std::vector<double> replay(const RecordedSpace& recorded, std::string_view strategy,
                           std::uint64_t seed, std::size_t budget, std::size_t batch) {
    const auto asked = make_strategy(strategy, recorded.space(), seed, budget);
    std::vector<double> ratios;
    double best = std::numeric_limits<double>::infinity();
    while (ratios.size() < budget) {
        const auto indexes = asked->ask(std::min(batch, budget - ratios.size()));
        if (indexes.empty()) {
            break;
        }
        for (const std::size_t index : indexes) {
            best = std::min(best, recorded.time_ns(index).value_or(best));
            ratios.push_back(best / recorded.best_ns());
        }
        for (const std::size_t index : indexes) {
            asked->tell(index, recorded.time_ns(index));
        }
    }
    return ratios;
}

}  // namespace jitune::internal
