// SPDX-License-Identifier: Apache-2.0
#include "cli/record_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tuner_db/bucket.hpp"

namespace jitune::internal {

namespace {

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// What each part of a bucket is the size of: "rows", "columns". The last part of a bucket may be
/// that of several sizes: "d*e".
std::vector<std::string> bucket_names(std::string_view sizes) {
    std::vector<std::string> names;
    for (const std::string_view word : words(sizes)) {
        const std::string_view name = word.substr(0, word.find('='));
        if (names.size() < kBucketSizes) {
            names.emplace_back(name);
        } else {
            names.back() += fmt::format("*{}", name);
        }
    }
    return names;
}

}  // namespace

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
            {"half_octaves", half_octaves_json(winner.key.bucket, winner.sizes)},
            {"configuration", winner.configuration},
            {"reproducibility", winner.reproducibility},
            {"median_ns", json_number(winner.median_ns)},
            {"noise", json_number(winner.noise)},
            {"default_median_ns", json_number(winner.default_median_ns)},
            {"conditions", winner.certainty.conditions},
            {"uncertainty", json_number(winner.certainty.uncertainty)},
            {"speed_up_low", json_number(winner.certainty.speed_up_low)},
            {"speed_up_high", json_number(winner.certainty.speed_up_high)},
            {"complete", winner.complete},
            {"image_format", winner.image_format},
            {"symbols", winner.symbols},
            {"provenance", to_json(winner.provenance)}};
}

Json to_json(const Measurement& measurement) {
    return {{"sizes", measurement.sizes},
            {"configuration", measurement.configuration},
            {"reproducibility", measurement.reproducibility},
            {"verdict", to_string(measurement.verdict)},
            {"reason", measurement.reason},
            {"conditions", measurement.conditions},
            {"samples_ns", measurement.samples_ns},
            {"provenance", to_json(measurement.provenance)}};
}

Json half_octaves_json(std::int64_t bucket, std::string_view sizes) {
    Json json = Json::object();
    for (const std::string& name : bucket_names(sizes)) {
        json[name] = half_octaves(bucket, json.size());
    }
    return json;
}

std::string bucket_text(std::int64_t bucket, std::string_view sizes) {
    std::vector<std::string> parts;
    for (const std::string& name : bucket_names(sizes)) {
        const auto octaves = static_cast<double>(half_octaves(bucket, parts.size())) / 2;
        parts.push_back(fmt::format("{}=2^{}", name, octaves));
    }
    return fmt::format("{}", fmt::join(parts, " "));
}

std::string short_types(std::string_view types) {
    std::vector<std::string_view> names;
    for (const std::string_view word : words(types)) {
        const std::string_view name = word.substr(word.find('=') + 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, " "));
}

std::string speed_up_text(const Winner& winner) {
    return winner.default_median_ns > 0
               ? fmt::format("{:.2f}x", winner.default_median_ns / winner.median_ns)
               : "";
}

std::string speed_up_interval_text(const Certainty& certainty) {
    return certainty.speed_up_high > 0
               ? fmt::format("99 %: {:.3f}x to {:.3f}x", certainty.speed_up_low,
                             certainty.speed_up_high)
               : "";
}

}  // namespace jitune::internal
