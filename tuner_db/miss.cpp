// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/miss.hpp"

#include <limits>
#include <string_view>

#include "jitune/error.hpp"
#include "support/message.hpp"

namespace jitune::internal {

std::optional<std::vector<std::string>> Miss::spec() const {
    MessageBuffer buffer;
    try {
        buffer.append(kernel_spec);
        return buffer.next();
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<Sizes> Miss::problem_sizes() const {
    const auto boxes = parse_coverage(sizes);
    if (!boxes || boxes->size() != 1 || boxes->front().from != boxes->front().to) {
        return std::nullopt;
    }
    return boxes->front().from;
}

std::optional<std::map<std::string, std::string>> Miss::problem_types() const {
    std::map<std::string, std::string> types;
    for (std::string_view rest = key.types; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size() == rest.size() ? word.size() : word.size() + 1);
        const auto sign = word.find('=');
        if (sign == 0 || sign == std::string_view::npos || sign + 1 == word.size()) {
            return std::nullopt;
        }
        types.emplace(word.substr(0, sign), word.substr(sign + 1));
    }
    return types;
}

void Miss::add(const Miss& later) {
    const auto sum = [](std::int64_t a, std::int64_t b) {
        constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
        return a > kMost - b ? kMost : a + b;
    };
    calls = sum(calls, later.calls);
    sessions = sum(sessions, later.sessions);
    kernel_spec = later.kernel_spec;
    origin = later.origin;
    configuration = later.configuration;
    device_name = later.device_name;
    last_at = later.last_at;
}

}  // namespace jitune::internal
