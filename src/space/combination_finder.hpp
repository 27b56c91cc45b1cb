// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "space/expression.hpp"
#include "space/value.hpp"

namespace jitune::internal {

struct JoinLoop;

/// Nested loops over parameters that constraints tie together, from the outermost.
using JoinGroup = std::vector<JoinLoop>;

/// Finds the combinations of parameters' values that satisfy constraints, with nested loops in the
/// order of their join groups. Not thread-safe.
class CombinationFinder {
public:
    /// `parameters` must have distinct names; they and `strides` must outlive this. The number of a
    /// value is its position times its parameter's stride; no sum of such numbers may overflow.
    /// All searches together may take `most_steps`: values tried, and operations and operands of
    /// the constraints that are evaluated. The search that would take more throws Error(usage).
    CombinationFinder(std::span<const Parameter> parameters, std::span<const std::int64_t> strides,
                      std::int64_t most_steps = kMostSteps);

    /// Enough for a minute or two.
    static constexpr std::int64_t kMostSteps = 20'000'000'000;

    /// The combinations that satisfy `constraints`, each as the sum of its values' numbers, sorted.
    /// Empty: there is none. Throws Error(usage) for more than fit into 1 GiB.
    [[nodiscard]] std::vector<std::int64_t> combinations(std::span<const Expression> constraints);

    /// True if any combination satisfies `constraints`.
    [[nodiscard]] bool satisfiable(std::span<const Expression> constraints);

private:
    [[nodiscard]] std::optional<std::vector<JoinGroup>> groups_of(
        std::span<const Expression> constraints) const;
    [[nodiscard]] std::vector<double> shares(std::span<const Expression> terms) const;
    [[nodiscard]] std::vector<std::int64_t> numbers(const JoinGroup& group);
    [[nodiscard]] std::pair<std::size_t, std::size_t> range(const JoinLoop& loop);
    [[nodiscard]] bool holds(const JoinLoop& loop);
    void spend(std::size_t steps);
    template <class Found>
    bool visit(std::span<const JoinLoop> loops, std::int64_t number, const Found& found);

    std::span<const Parameter> parameters_;
    std::span<const std::int64_t> strides_;
    std::int64_t steps_left_;
    std::vector<std::int64_t> positions_;  ///< of the values that the loops stand at
};

}  // namespace jitune::internal
