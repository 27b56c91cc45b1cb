// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rules/loss_table.hpp"
#include "rules/rule_condition.hpp"

namespace jitune::internal {

/// A made table: problems of the types "int8" and "int32" at the sizes 2^8, 2^9 … 2^23, and one
/// configuration for each loss, named by its letter: "a", "b" …
struct MadeLosses {
    /// 0: not known; negative: excluded.
    using Loss = std::function<double(const std::string& types, std::int64_t n)>;

    MadeLosses(const Loss& standard, const std::vector<Loss>& losses) {
        for (const std::string types : {"int8", "int32"}) {
            for (int power = 8; power < 24; ++power) {
                const std::int64_t n = std::int64_t{1} << power;
                table.problems.push_back(
                    {types, "device", 16, fmt::format("n={}", n), {n}, {}, {}});
                table.problems.back().standard = cell(standard(types, n));
                table.problems.back().present = table.problems.back().standard;
                sizes.values.push_back(static_cast<double>(n));
                is_small.holds.push_back(types == "int8");
            }
        }
        table.cells.resize(losses.size() * table.problems.size());
        for (std::size_t one = 0; one < losses.size(); ++one) {
            table.configurations.emplace_back(1, static_cast<char>('a' + one));
            table.differing.push_back(1);
            for (std::size_t i = 0; i < table.problems.size(); ++i) {
                table.at(one, i) =
                    cell(losses[one](table.problems[i].types, table.problems[i].sizes.front()));
            }
        }
        questions.add(sizes);
        questions.add(is_small);
    }

    static LossCell cell(double loss) {
        return {loss < 0   ? LossCell::State::excluded
                : loss > 0 ? LossCell::State::measured
                           : LossCell::State::unknown,
                loss > 0 ? loss : 0};
    }

    [[nodiscard]] std::vector<std::size_t> everything() const {
        std::vector<std::size_t> all(table.problems.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        return all;
    }

    LossTable table;
    RuleQuestions questions;
    RuleQuestions::Quantity sizes{"n", {}};
    RuleQuestions::Fact is_small{"element = 'int8'", {}};
};

}  // namespace jitune::internal
