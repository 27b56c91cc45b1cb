// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/call_record.hpp"

#include <string_view>
#include <utility>

#include "jitune/error.hpp"
#include "support/message.hpp"
#include "support/settings.hpp"

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

sqlite::Row CallRecord::place() const {
    sqlite::Row place{key.kernel,    key.types,         key.device_class,
                      key.alignment, key.template_hash, sizes};
    if (!is_miss()) {
        place.insert(place.end(), {configuration, origin, winner_at});
    }
    return place;
}

std::optional<std::map<std::string, std::string>> CallRecord::problem_types() const {
    std::map<std::string, std::string> types;
    for (const std::string_view setting : settings_of(key.types)) {
        const std::string_view name = setting.substr(0, setting.find('='));
        const std::string_view value = value_of_setting(setting);
        if (name.empty() || value.empty()) {
            return std::nullopt;
        }
        types.emplace(name, value);
    }
    return types;
}

void CallRecord::add(const CallRecord& later) {
    const CallRecord before = std::exchange(*this, later);
    calls = saturating_sum(before.calls, later.calls);
    sessions = saturating_sum(before.sessions, later.sessions);
    first_at = before.first_at;
}

void Pause::add(const Pause& later) {
    pauses = saturating_sum(pauses, later.pauses);
    if (later.longest_us > longest_us) {
        longest_us = later.longest_us;
        longest_sizes = later.longest_sizes;
    }
    last_at = later.last_at;
}

}  // namespace jitune::internal
