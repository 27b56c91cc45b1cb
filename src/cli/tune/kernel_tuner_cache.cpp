// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/kernel_tuner_cache.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/formats/json.hpp"
#include "cli/tune/recorded_results.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "tuning/finals/finals.hpp"

namespace jitune::internal {

namespace {

constexpr double kNsPerMillisecond = 1e6;
constexpr const char* kVersionOfCache = "1.1.0";
constexpr const char* kInvalidConfig = "InvalidConfig";

[[noreturn]] void refuse_cache(const std::string& message) {
    throw Error(ErrorKind::usage, "Kernel Tuner's cache: " + message);
}

std::vector<std::string> parameter_names(const ParsedJson& document) {
    std::vector<std::string> names;
    for (const ParsedJson& name : list_member(document, "tune_params_keys")) {
        if (!name.is_string()) {
            refuse_cache("\"tune_params_keys\" must be a list of texts");
        }
        names.push_back(name.get<std::string>());
    }
    return names;
}

std::optional<double> time_ns_of_cache(const ParsedJson& time) {
    const double milliseconds = time.is_number() ? time.get<double>() : 0;
    const bool works = milliseconds > 0 && milliseconds < kFailureOfKernelTuner;
    return works ? std::optional(milliseconds * kNsPerMillisecond) : std::nullopt;
}

const char* failure_name(Verdict verdict) {
    return verdict == Verdict::compile_failed ? "CompilationFailedConfig" : "RuntimeFailedConfig";
}

/// One member of the table, as Kernel Tuner appends it: on a line of its own.
Json cache_entry(const Measurement& measurement) {
    const bool timed = measurement.verdict == Verdict::timed;
    Json entry = Json::object();
    for (const auto& [name, value] : configuration_members(measurement.configuration)) {
        entry[name] = value;
    }
    Json times = Json::array();
    for (const double sample : measurement.samples_ns) {
        times.push_back(sample / kNsPerMillisecond);
    }
    entry["time"] = timed ? Json(summarize(measurement.samples_ns).median_ns / kNsPerMillisecond)
                          : Json(failure_name(measurement.verdict));
    entry["times"] = times;
    for (const char* unknown : {"compile_time", "verification_time", "benchmark_time",
                                "strategy_time", "framework_time"}) {
        entry[unknown] = 0;
    }
    entry["timestamp"] = measurement.provenance.created_at;
    return entry;
}

/// The results, in the order in which their configurations first occur, and what they vary.
class CacheTable {
public:
    void add(const Measurement& measurement) {
        std::string key;
        for (const auto& [name, value] : configuration_members(measurement.configuration)) {
            const std::string text = value.text();
            key += (key.empty() ? "" : ",") +
                   (text.front() == '"' ? text.substr(1, text.size() - 2) : text);
            add_value(name, value);
        }
        const auto [place, is_new] = places_.emplace(key, lines_.size());
        std::string line = Json(key).text() + ": " + cache_entry(measurement).text();
        if (is_new) {
            lines_.push_back(std::move(line));
        } else {
            lines_[place->second] = std::move(line);
        }
    }

    /// The members "tune_params_keys" and "tune_params".
    void describe(Json& document) const {
        Json names = Json::array();
        Json values = Json::object();
        for (const Column& column : columns_) {
            names.push_back(column.name);
            values[column.name] = column.values;
        }
        document["tune_params_keys"] = names;
        document["tune_params"] = values;
    }
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

private:
    struct Column {
        std::string name;
        Json values = Json::array();
        std::set<std::string> seen = {};
    };

    void add_value(const std::string& name, const Json& value) {
        auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const Column& one) { return one.name == name; });
        if (column == columns_.end()) {
            column = columns_.insert(columns_.end(), Column{name});
        }
        if (column->seen.insert(value.text()).second) {
            column->values.push_back(value);
        }
    }

    std::vector<Column> columns_;
    std::vector<std::string> lines_;
    std::map<std::string, std::size_t> places_;
};

}  // namespace

bool is_kernel_tuner_cache(const ParsedJson& document) {
    return find_member(document, "tune_params_keys") != nullptr &&
           find_member(document, kTableOfKernelTuner) != nullptr;
}

RecordedSpace parse_kernel_tuner_cache(const ParsedJson& document) {
    RecordedResults recorded(parameter_names(document));
    std::size_t number = 0;
    for (const ParsedJson& entry : member(document, kTableOfKernelTuner)) {
        const std::string result = fmt::format("result {}", number++);
        const ParsedJson* const time = find_member(entry, "time");
        if (time == nullptr) {
            refuse_cache(result + " has no \"time\"");
        }
        if (*time != kInvalidConfig) {
            recorded.add(entry, "Kernel Tuner's cache: " + result, time_ns_of_cache(*time));
        }
    }
    return recorded.space();
}

std::string closed_kernel_tuner_cache(const std::string& text) {
    if (text.find("\"tune_params_keys\"") == std::string::npos ||
        text.find("\"cache\"") == std::string::npos) {
        return "";
    }
    const std::size_t last = text.rfind('}');
    return last == std::string::npos ? "" : text.substr(0, last + 1) + "}\n}";
}

std::string kernel_tuner_cache(std::span<const Measurement> measurements) {
    CacheTable table;
    Json document{{"schema_version", kVersionOfCache}};
    Json sizes = Json::array();
    if (!measurements.empty()) {
        const Measurement& first = measurements.front();
        document["device_name"] = first.provenance.device_name;
        document["kernel_name"] = first.key.kernel;
        for (const auto& [name, size] : configuration_members(first.sizes)) {
            sizes.push_back(size);
        }
    }
    for (const Measurement& measurement : measurements) {
        if (is_of_search(measurement)) {
            table.add(measurement);
        }
    }
    document["problem_size"] = sizes;
    table.describe(document);
    document["objective"] = "time";
    std::string head = document.text(0);
    head.resize(head.size() - 2);  // "\n}"
    // Kernel Tuner looks for these three characters at the end, and appends results before them.
    return fmt::format("{},\n\"cache\": {{\n{}}}\n}}", head, fmt::join(table.lines(), ",\n"));
}

}  // namespace jitune::internal
