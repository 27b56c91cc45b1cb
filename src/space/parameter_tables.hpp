// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "space/expression.hpp"
#include "space/join_plan.hpp"
#include "space/value.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace jitune::internal {

/// The parameters as tables of a database in memory: one table each, one row per value. Queries
/// are made of our own renderings only, so no text of a user's reaches SQLite. Not thread-safe.
class ParameterTables {
public:
    /// `parameters` must have distinct names, must be at most kMaxParameters and must outlive this.
    /// The i-th value of a parameter stands in its table as i times the parameter's stride; no sum
    /// of such numbers may overflow.
    /// All queries together may take `most_steps` of SQLite's virtual machine; the one that would
    /// take more throws Error(usage).
    ParameterTables(std::span<const Parameter> parameters, std::span<const std::int64_t> strides,
                    std::int64_t most_steps = kMostSteps);

    /// Enough for some minutes.
    static constexpr std::int64_t kMostSteps = 10'000'000'000;

    /// SQLite joins up to 64 tables.
    static constexpr std::size_t kMaxParameters = 60;

    /// The combinations that satisfy `constraints`, each as the sum of its values' numbers, sorted.
    /// Empty: there is none. Throws Error(usage) for more than fit into 1 GiB.
    [[nodiscard]] std::vector<std::int64_t> combinations(
        std::span<const Expression> constraints) const;

    /// True if any combination satisfies `constraints`.
    [[nodiscard]] bool satisfiable(std::span<const Expression> constraints) const;

private:
    struct Closer {
        void operator()(sqlite3* database) const noexcept;
    };
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

    void add_sample() const;
    [[nodiscard]] std::vector<double> selectivities(std::span<const Expression> constraints) const;
    [[nodiscard]] std::vector<JoinGroup> plan(std::span<const Expression> constraints) const;
    [[nodiscard]] bool constants_hold(std::span<const Expression> constraints) const;
    [[nodiscard]] std::vector<std::int64_t> sums(const JoinGroup& group) const;
    void execute(const std::string& sql) const;
    [[nodiscard]] Statement prepare(const std::string& sql) const;
    bool step(const Statement& statement) const;
    [[noreturn]] void fail(const char* call) const;
    static int count_steps(void* periods_left);

    std::span<const Parameter> parameters_;
    std::unique_ptr<std::int64_t> periods_left_;  ///< of kPeriod steps each
    std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace jitune::internal
