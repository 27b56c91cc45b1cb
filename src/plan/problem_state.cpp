// SPDX-License-Identifier: Apache-2.0
#include "plan/problem_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "plan/task_name.hpp"

namespace jitune::internal {

namespace {

/// In the order of the enumerators.
constexpr std::array kKinds{"waiting", "claimed", "failed", "done"};

}  // namespace

const char* to_string(ProblemState::Kind kind) {
    return kKinds.at(static_cast<std::size_t>(kind));
}

std::string ProblemState::name() const {
    const std::string text =
        fmt::format("{:07}.{}.{}.{}.{}", rank, failures, losses, round, to_string(kind));
    return kind == Kind::waiting ? text : fmt::format("{}.{}.{}", text, since, task);
}

ProblemState ProblemState::as(Kind next) const {
    ProblemState state = *this;
    state.kind = next;
    return state;
}

ProblemState ProblemState::waiting() const {
    ProblemState state = as(Kind::waiting);
    state.since = 0;
    state.task.clear();
    return state;
}

std::optional<std::int64_t> plain_number(std::string_view digits) {
    constexpr std::size_t kMostDigits = 15;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_plain = !digits.empty() && digits.size() <= kMostDigits && digits[0] != '-' &&
                          error == std::errc() && end == digits.data() + digits.size();
    return is_plain ? std::optional(number) : std::nullopt;
}

std::string_view next_part(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

std::optional<ProblemState> problem_state(std::string_view name) {
    std::string_view rest = name;
    ProblemState state;
    for (std::size_t* const number : {&state.rank, &state.failures, &state.losses, &state.round}) {
        const auto value = plain_number(next_part(rest));
        if (!value) {
            return std::nullopt;
        }
        *number = static_cast<std::size_t>(*value);
    }
    const auto* const kind = std::find(kKinds.begin(), kKinds.end(), next_part(rest));
    if (kind == kKinds.end()) {
        return std::nullopt;
    }
    state.kind = static_cast<ProblemState::Kind>(kind - kKinds.begin());
    if (state.kind != ProblemState::Kind::waiting) {
        const auto since = plain_number(next_part(rest));
        if (!since || !is_task_name(rest)) {
            return std::nullopt;
        }
        state.since = *since;
        state.task = rest;
    }
    return state.name() == name ? std::optional(state) : std::nullopt;  // one spelling of each
}

}  // namespace jitune::internal
