// SPDX-License-Identifier: Apache-2.0
#include "cli/export_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_file.hpp"
#include "cli/record_json.hpp"
#include "cli/t4.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kVersion = 1;

[[noreturn]] void refuse_export(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

RecordKey key_of(const ParsedJson& json) {
    const RecordKey key = internal::from_json<RecordKey>(json);
    if (key.kernel.empty() || key.template_hash.empty() || key.device_class.empty() ||
        key.bucket < 0 || key.alignment < 1) {
        refuse_export("\"key\" does not name a problem");
    }
    return key;
}

Measurement measurement_of(const RecordKey& key, const ParsedJson& json) {
    const Measurement measurement = measurement_from_json(json, key);
    const bool timed = measurement.verdict == Verdict::timed;
    if (timed != !measurement.samples_ns.empty() || (timed && !measurement.reason.empty())) {
        refuse_export("\"samples_ns\" and \"reason\" contradict the verdict");
    }
    const std::string& order = measurement.reproducibility;
    if (order != "exact" && order != "fixed" && order != "any") {
        refuse_export("\"reproducibility\" must be exact, fixed or any");
    }
    return measurement;
}

const ParsedJson& identity_of(const ParsedJson& document) {
    const auto metadata = document.is_object() ? document.find("metadata") : document.end();
    if (metadata == document.end() || !metadata->is_object() || !metadata->contains("jitune")) {
        refuse_export(
            "it does not name the kernel and the device that were measured, since \"jitune db "
            "export\" did not write it; \"jitune tune --from\" can try its best configurations");
    }
    return (*metadata)["jitune"];
}

std::vector<Measurement> measurements_of(const ParsedJson& document) {
    const ParsedJson& identity = identity_of(document);
    if (const auto version = integer_member(identity, "version"); version != kVersion) {
        refuse_export(fmt::format("its format has version {}, and this jitune reads version {}",
                                  version, kVersion));
    }
    const RecordKey key = key_of(member(identity, "key"));
    std::vector<Measurement> measurements;
    for (const ParsedJson& json : list_member(identity, "measurements")) {
        try {
            measurements.push_back(measurement_of(key, json));
        } catch (const Error& error) {
            refuse_export(fmt::format("measurement {}: {}", measurements.size(), error.what()));
        }
    }
    return measurements;
}

}  // namespace

Json export_document(std::span<const Measurement> measurements) {
    Json document = t4_document(measurements);
    Json whole = Json::array();
    for (const Measurement& measurement : measurements) {
        whole.push_back(measurement_json(measurement));
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
        refuse_export(fmt::format("{}: {}", path.string(), error.what()));
    }
}

}  // namespace jitune::internal
