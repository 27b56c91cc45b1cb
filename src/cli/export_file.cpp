// SPDX-License-Identifier: Apache-2.0
#include "cli/export_file.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_file.hpp"
#include "cli/record_text.hpp"
#include "cli/t4.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kVersion = 1;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

RecordKey key_of(const ParsedJson& json) {
    RecordKey key;
    key.kernel = text_member(json, "kernel");
    key.types = text_member(json, "types");
    key.bucket = integer_member(json, "bucket");
    key.alignment = integer_member(json, "alignment");
    key.template_hash = text_member(json, "template_hash");
    key.device_class = text_member(json, "device_class");
    if (key.kernel.empty() || key.template_hash.empty() || key.device_class.empty() ||
        key.bucket < 0 || key.alignment < 1) {
        fail("\"key\" names no problem");
    }
    return key;
}

Provenance provenance_of(const ParsedJson& json) {
    Provenance provenance;
    provenance.device_name = text_member(json, "device_name");
    provenance.device_uuid = text_member(json, "device_uuid");
    provenance.driver = text_member(json, "driver");
    provenance.compiler = text_member(json, "compiler");
    provenance.created_at = text_member(json, "created_at");
    return provenance;
}

std::vector<double> samples_of(const ParsedJson& json) {
    std::vector<double> samples;
    for (const ParsedJson& sample : json) {
        const double ns = sample.is_number() ? sample.get<double>() : 0;
        if (!(ns > 0) || !std::isfinite(ns)) {
            fail("\"samples_ns\" must hold times above 0");
        }
        samples.push_back(ns);
    }
    return samples;
}

Measurement measurement_of(const RecordKey& key, const ParsedJson& json) {
    Measurement measurement;
    measurement.key = key;
    measurement.sizes = text_member(json, "sizes");
    measurement.configuration = text_member(json, "configuration");
    measurement.reproducibility = text_member(json, "reproducibility");
    const auto verdict = verdict_from(text_member(json, "verdict"));
    if (!verdict) {
        fail("\"verdict\" is none");
    }
    measurement.verdict = *verdict;
    measurement.reason = text_member(json, "reason");
    measurement.conditions = text_member(json, "conditions");
    measurement.samples_ns = samples_of(list_member(json, "samples_ns"));
    measurement.provenance = provenance_of(member(json, "provenance"));
    const bool timed = *verdict == Verdict::timed;
    if (timed != !measurement.samples_ns.empty() || (timed && !measurement.reason.empty())) {
        fail("\"samples_ns\" and \"reason\" do not go with the verdict");
    }
    const std::string& order = measurement.reproducibility;
    if (order != "exact" && order != "fixed" && order != "any") {
        fail("\"reproducibility\" must be exact, fixed or any");
    }
    return measurement;
}

const ParsedJson& identity_of(const ParsedJson& document) {
    const auto metadata = document.is_object() ? document.find("metadata") : document.end();
    if (metadata == document.end() || !metadata->is_object() || !metadata->contains("jitune")) {
        fail(
            "it does not say which kernel was measured on which device, since \"jitune db export\" "
            "has not written it: \"jitune tune --from\" can use its best configurations");
    }
    return (*metadata)["jitune"];
}

std::vector<Measurement> measurements_of(const ParsedJson& document) {
    const ParsedJson& identity = identity_of(document);
    if (const auto version = integer_member(identity, "version"); version != kVersion) {
        fail(fmt::format("its format is {}, this jitune reads {}", version, kVersion));
    }
    const RecordKey key = key_of(member(identity, "key"));
    std::vector<Measurement> measurements;
    for (const ParsedJson& json : list_member(identity, "measurements")) {
        try {
            measurements.push_back(measurement_of(key, json));
        } catch (const Error& error) {
            fail(fmt::format("measurement {}: {}", measurements.size(), error.what()));
        }
    }
    return measurements;
}

}  // namespace

Json export_document(std::span<const Measurement> measurements) {
    Json document = t4_document(measurements);
    Json whole = Json::array();
    for (const Measurement& measurement : measurements) {
        whole.push_back(to_json(measurement));
    }
    if (!measurements.empty()) {
        document["metadata"]["jitune"] = {{"version", kVersion},
                                          {"key", to_json(measurements.front().key)},
                                          {"measurements", std::move(whole)}};
    }
    return document;
}

std::vector<Measurement> read_export(const std::filesystem::path& path) {
    const ParsedJson document = read_json(path);
    try {
        return measurements_of(document);
    } catch (const Error& error) {
        fail(fmt::format("{}: {}", path.string(), error.what()));
    }
}

}  // namespace jitune::internal
