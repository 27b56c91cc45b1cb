// SPDX-License-Identifier: Apache-2.0
#include "cli/db/record_json.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "sizes/bucket.hpp"
#include "support/settings.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

[[noreturn]] void refuse(const Field& field, const char* rule) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" must {}", field.name, rule));
}

double number_of(const Json& json, const Field& field, const char* rule) {
    const double number = json.is_number() ? json.get<double>() : -1;
    if (!std::isfinite(number) || number < 0 || (field.positive && number == 0)) {
        refuse(field, rule);
    }
    return number;
}

/// The size that each part of a bucket stands for: "rows", "columns". The last part may stand for
/// several: "d*e".
std::vector<std::string> bucket_names(std::string_view sizes) {
    std::vector<std::string> names;
    for (const std::string_view setting : settings_of(sizes)) {
        const std::string_view name = setting.substr(0, setting.find('='));
        if (names.size() < kBucketSizes) {
            names.emplace_back(name);
        } else {
            names.back() += fmt::format("*{}", name);
        }
    }
    return names;
}

using Figures = std::vector<std::pair<std::string, double>>;

std::optional<Figures> read_figures(const std::string& text) {
    Figures figures;
    try {
        const Json document = parse_json(text.empty() ? "{}" : text, "figures");
        for (const auto& [name, value] : document.items()) {
            if (!document.is_object() || !value.is_number()) {
                return std::nullopt;
            }
            figures.emplace_back(name, value.get<double>());
        }
    } catch (const Error&) {
        return std::nullopt;
    }
    return figures;
}

}  // namespace

void read_member(const Json& object, const Field& field, std::string& value) {
    value = text_member(object, field.name);
}

void read_member(const Json& object, const Field& field, std::int64_t& value) {
    value = integer_member(object, field.name);
}

void read_member(const Json& object, const Field& field, bool& value) {
    const Json& found = member(object, field.name);
    if (!found.is_boolean()) {
        refuse(field, "be true or false");
    }
    value = found.get<bool>();
}

void read_member(const Json& object, const Field& field, double& value) {
    value = number_of(member(object, field.name), field,
                      field.positive ? "be a number above 0" : "be a number of at least 0");
}

void read_member(const Json& object, const Field& field, Verdict& value) {
    const std::string name = text_member(object, field.name);
    const std::optional<Verdict> verdict = verdict_from(name);
    if (!verdict) {
        throw Error(ErrorKind::usage, fmt::format("unknown \"{}\": \"{}\"", field.name, name));
    }
    value = *verdict;
}

void read_member(const Json& object, const Field& field, std::vector<double>& values) {
    values.clear();
    for (const Json& number : list_member(object, field.name)) {
        values.push_back(number_of(
            number, field, field.positive ? "hold numbers above 0" : "hold numbers of at least 0"));
    }
}

void read_member(const Json& object, const Field& field, std::vector<std::string>& values) {
    values.clear();
    for (const Json& text : list_member(object, field.name)) {
        if (!text.is_string()) {
            refuse(field, "be a list of texts");
        }
        values.push_back(text.get<std::string>());
    }
}

Json half_octaves_json(std::int64_t bucket, std::string_view sizes) {
    Json json = Json::object();
    for (const std::string& name : bucket_names(sizes)) {
        json[name] = half_octaves(bucket, json.size());
    }
    return json;
}

Json winner_json(const Winner& winner) {
    Json json{{"id", winner_id(winner)}};
    json.update(to_json(winner));
    json["pinned"] = winner.pinned;
    json["half_octaves"] = half_octaves_json(winner.key.bucket, winner.sizes);
    json["provisional"] = is_provisional(winner.certainty);
    return json;
}

Json certainty_json(const Certainty& certainty) {
    return {{"speed_up_low", certainty.speed_up_low},
            {"speed_up_high", certainty.speed_up_high},
            {"uncertainty", certainty.uncertainty},
            {"conditions", certainty.conditions},
            {"provisional", is_provisional(certainty)}};
}

Json doubt_json(const Doubt& doubt) {
    Json json = to_json(doubt);
    json["text"] = doubt_sentence(doubt);
    return json;
}

Json doubt_json(std::span<const Doubt> doubts, const Winner& winner) {
    const Doubt* const doubt = doubt_about(doubts, winner);
    if (doubt == nullptr) {
        return {};
    }
    Json json = doubt_json(*doubt);
    for (const char* const name : {"key", "sizes", "configuration", "winner_at", "device_name"}) {
        json.erase(name);
    }
    return json;
}

Json measurement_json(const Measurement& measurement) {
    return to_json(measurement, "key");
}

Measurement measurement_from_json(const Json& json, const RecordKey& key) {
    auto measurement = internal::from_json<Measurement>(json, "key");
    measurement.key = key;
    return measurement;
}

std::string metric_title(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + ", " + unit;
}

Json metrics_json(std::span<const KernelTemplate::Metric> metrics) {
    Json document = Json::object();
    for (const KernelTemplate::Metric& metric : metrics) {
        document[metric.name] = {{"value", json_number(metric.value)}, {"unit", metric.unit}};
    }
    return document;
}

Json figures_json(const std::string& figures) {
    const auto known = read_figures(figures);
    if (!known) {
        return figures;
    }
    Json document = Json::object();
    for (const auto& [name, value] : *known) {
        document[name] = json_number(value);
    }
    return document;
}

std::string figures_text(const std::string& figures) {
    const auto known = read_figures(figures);
    if (!known) {
        return figures;
    }
    std::string text;
    for (const auto& [name, value] : *known) {
        text += fmt::format("{}{}={:.5g}", text.empty() ? "" : " ", name, value);
    }
    return text;
}

}  // namespace jitune::internal
