// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/miss.hpp"

#include <string_view>

#include "jitune/error.hpp"
#include "support/message.hpp"
#include "tuner_db/calls/sum_table.hpp"

namespace jitune::internal {

std::optional<std::vector<std::string>> unframed_spec(const std::string& kernel_spec) {
    MessageBuffer buffer;
    try {
        buffer.append(kernel_spec);
        return buffer.next();
    } catch (const Error&) {
        return std::nullopt;
    }
}

sqlite::Row Miss::place() const {
    return {key.kernel, key.types, key.device_class, key.alignment, key.template_hash, sizes};
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
    calls = saturating_sum(calls, later.calls);
    sessions = saturating_sum(sessions, later.sessions);
    kernel_spec = later.kernel_spec;
    origin = later.origin;
    configuration = later.configuration;
    device_name = later.device_name;
    last_at = later.last_at;
}

}  // namespace jitune::internal
