// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jitune::internal {

/// Where one problem of a plan stands. Its file is empty: the name says all, so that a rename
/// changes it as a whole: "0000017.0.1.1.claimed.1764100000.node7+8d…+4711+123456+0".
struct ProblemState {
    enum class Kind { waiting, claimed, failed, done };  ///< the more is left to do, the earlier

    std::size_t rank = 0;      ///< its place in the plan, the one worth most first
    std::size_t failures = 0;  ///< tasks that could not tune it
    std::size_t losses = 0;    ///< tasks that ended while they worked on it
    std::size_t round = 1;     ///< 2: it is tuned once more, because two tasks disagreed
    Kind kind = Kind::waiting;
    std::int64_t since = 0;  ///< when it was claimed, in seconds by the file server's clock
    std::string task = {};   ///< task_name() of the claimant; empty while it waits

    bool operator==(const ProblemState&) const = default;

    /// The name of its file.
    [[nodiscard]] std::string name() const;

    /// The same problem in another state.
    [[nodiscard]] ProblemState as(Kind next) const;
    /// The state in which the problem waits for the next task.
    [[nodiscard]] ProblemState waiting() const;
};

/// "waiting", "claimed", "failed", "done".
const char* to_string(ProblemState::Kind kind);

/// The state of that file name; nothing for a name that name() does not make.
std::optional<ProblemState> problem_state(std::string_view name);

/// A number without sign and of at most 15 digits; nothing for any other text.
std::optional<std::int64_t> plain_number(std::string_view digits);

/// Takes the part before the next "." off a name.
std::string_view next_part(std::string_view& rest);

}  // namespace jitune::internal
