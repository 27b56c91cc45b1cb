#include "cli/record_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace jitune {

Json to_json(const RecordKey& key) {
    return {{"kernel", key.kernel},
            {"types", key.types},
            {"bucket", key.bucket},
            {"alignment", key.alignment},
            {"template_hash", key.template_hash},
            {"device_class", key.device_class}};
}

Json to_json(const Provenance& provenance) {
    return {{"device_name", provenance.device_name},
            {"device_uuid", provenance.device_uuid},
            {"driver", provenance.driver},
            {"compiler", provenance.compiler},
            {"created_at", provenance.created_at}};
}

Json to_json(const Winner& winner) {
    return {{"key", to_json(winner.key)},
            {"sizes", winner.sizes},
            {"configuration", winner.configuration},
            {"median_ns", json_number(winner.median_ns)},
            {"noise", json_number(winner.noise)},
            {"default_median_ns", json_number(winner.default_median_ns)},
            {"complete", winner.complete},
            {"image_format", winner.image_format},
            {"symbols", winner.symbols},
            {"provenance", to_json(winner.provenance)}};
}

Json to_json(const Measurement& measurement) {
    return {{"sizes", measurement.sizes},
            {"configuration", measurement.configuration},
            {"verdict", to_string(measurement.verdict)},
            {"reason", measurement.reason},
            {"conditions", measurement.conditions},
            {"samples_ns", measurement.samples_ns},
            {"provenance", to_json(measurement.provenance)}};
}

std::string short_types(std::string_view types) {
    std::vector<std::string_view> names;
    while (!types.empty()) {
        const auto end = std::min(types.find(' '), types.size());
        const std::string_view entry = types.substr(0, end);
        const std::string_view name = entry.substr(entry.find('=') + 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
        types.remove_prefix(std::min(end + 1, types.size()));
    }
    return fmt::format("{}", fmt::join(names, " "));
}

std::string speed_up_text(const Winner& winner) {
    return winner.default_median_ns > 0
               ? fmt::format("{:.2f}x", winner.default_median_ns / winner.median_ns)
               : "";
}

}  // namespace jitune
