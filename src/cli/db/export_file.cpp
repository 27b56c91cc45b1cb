// SPDX-License-Identifier: Apache-2.0
#include "cli/db/export_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/db/record_json.hpp"
#include "cli/formats/foreign_results.hpp"
#include "cli/formats/json_file.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kVersion = 1;

[[noreturn]] void refuse_export(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

RecordKey key_of(const Json& json) {
    const RecordKey key = internal::from_json<RecordKey>(json);
    if (key.kernel.empty() || key.template_hash.empty() || key.device_class.empty() ||
        key.bucket < 0 || key.alignment < 1) {
        refuse_export("\"key\" does not name a problem");
    }
    return key;
}

Measurement measurement_of(const RecordKey& key, const Json& json) {
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

const Json& identity_of(const Json& document) {
    const auto metadata = document.is_object() ? document.find("metadata") : document.end();
    if (metadata == document.end() || !metadata->is_object() || !metadata->contains("jitune")) {
        refuse_export(
            "it does not name the kernel and the device that were measured, because \"jitune db "
            "export\" did not write it; \"jitune tune --from\" can try its best configurations");
    }
    return (*metadata)["jitune"];
}

RecordKey with_bucket(RecordKey key, std::int64_t bucket) {
    if (bucket < 0) {
        refuse_export("\"bucket\" must be at least 0");
    }
    key.bucket = bucket;
    return key;
}

/// The values that `read` makes of the elements of a list, "measurements". An error names the
/// element: "measurement 1".
template <class Read>
std::vector<Measurement> list_of(const Json& identity, std::string name, const Read& read) {
    std::vector<Measurement> values;
    for (const Json& json : list_member(identity, name.c_str())) {
        try {
            values.push_back(read(json));
        } catch (const Error& error) {
            name.pop_back();
            refuse_export(fmt::format("{} {}: {}", name, values.size(), error.what()));
        }
    }
    return values;
}

std::vector<Measurement> measurements_of(const Json& document) {
    const Json& identity = identity_of(document);
    if (const auto version = integer_member(identity, "version"); version != kVersion) {
        refuse_export(fmt::format("its format has version {}, and this jitune reads version {}",
                                  version, kVersion));
    }
    const RecordKey key = key_of(member(identity, "key"));
    std::vector<Measurement> measurements = list_of(
        identity, "measurements", [&](const auto& json) { return measurement_of(key, json); });
    if (find_member(identity, "comparisons") != nullptr) {  // jitune 0.1 wrote none
        const auto more = list_of(identity, "comparisons", [&](const auto& json) {
            return measurement_of(with_bucket(key, integer_member(json, "bucket")), json);
        });
        measurements.insert(measurements.end(), more.begin(), more.end());
    }
    return measurements;
}

}  // namespace

std::vector<Measurement> measurements_to_export(TuningStore& store, const RecordKey& key) {
    std::vector<Measurement> measurements = store.measurements().of(key);
    for (Measurement& comparison : store.measurements().comparisons(key)) {
        if (comparison.key != key) {
            measurements.push_back(std::move(comparison));
        }
    }
    return measurements;
}

Json export_document(std::span<const Measurement> measurements) {
    Json document = t4_document(measurements);
    if (measurements.empty()) {
        return document;
    }
    const RecordKey& key = measurements.front().key;
    Json of_key = Json::array();
    Json comparisons = Json::array();
    for (const Measurement& measurement : measurements) {
        Json json = measurement_json(measurement);
        if (measurement.key == key) {
            of_key.push_back(std::move(json));
        } else {
            json["bucket"] = measurement.key.bucket;
            comparisons.push_back(std::move(json));
        }
    }
    document["metadata"]["jitune"] = {{"version", kVersion},
                                      {"key", to_json(key)},
                                      {"measurements", std::move(of_key)},
                                      {"comparisons", std::move(comparisons)}};
    return document;
}

std::vector<Measurement> read_export(const std::filesystem::path& path) {
    const Json document = read_json(path);
    try {
        return measurements_of(document);
    } catch (const Error& error) {
        refuse_export(fmt::format("{}: {}", path.string(), error.what()));
    }
}

}  // namespace jitune::internal
