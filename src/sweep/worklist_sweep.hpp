// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "sweep/sweep_order.hpp"
#include "sweep/work_order.hpp"

namespace jitune::internal {

/// WorkOrder for a sweep whose problems are all items with a brief effort, and behind them all
/// items in the same order with a full one.
class WorklistSweep : public SweepOrder {
public:
    explicit WorklistSweep(WorkOrder order) : order_(std::move(order)) {}

    std::vector<std::size_t> begin() override {
        std::vector<std::size_t> problems;
        for (const WorkStep& step : order_.steps()) {
            problems.push_back(step.item + (step.effort == Effort::full ? items() : 0));
        }
        return problems;
    }

    std::vector<std::size_t> after(const SweepRow& row, double seconds) override {
        const Effort effort = row.problem < items() ? Effort::brief : Effort::full;
        order_.done(row.problem % items(), effort, row.ranges, seconds);
        return begin();
    }

private:
    [[nodiscard]] std::size_t items() const { return order_.items().size(); }

    WorkOrder order_;
};

}  // namespace jitune::internal
