// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/foreign_results.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/json_file.hpp"
#include "cli/formats/python_reader.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "support/settings.hpp"
#include "tuning/finals/finals.hpp"

namespace jitune::internal {

namespace {

constexpr double kNsPerMs = 1e6;
constexpr const char* kVersionOfCache = "1.1.0";

Value recorded_value(const Json& json) {
    return json.is_string() ? Value(json.get<std::string>()) : Value(json.get<std::int64_t>());
}

/// The space of {"names": [...], "rows": [[value, ..., time], ...]}, where a failure has no time.
RecordedSpace space_of(const Json& answer) {
    const Json& names = list_member(answer, "names");
    std::vector<std::set<Value>> values(names.size());
    std::vector<RecordedSpace::Row> rows;
    for (const Json& recorded : list_member(answer, "rows")) {
        RecordedSpace::Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) {
            row.values.push_back(recorded_value(recorded.at(i)));
            values[i].insert(row.values.back());
        }
        if (const Json& time_ns = recorded.at(names.size()); !time_ns.is_null()) {
            row.time_ns = time_ns.get<double>();
        }
    }
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < names.size(); ++i) {
        parameters.push_back(
            {names.at(i).get<std::string>(), {values[i].begin(), values[i].end()}, 0});
    }
    return RecordedSpace(parameters, rows);
}

/// An object of the settings in "block=32 mode=fast": integers are numbers.
Json configuration_json(const std::string& configuration) {
    Json json = Json::object();
    for (const std::string_view setting : settings_of(configuration)) {
        const std::string name(setting.substr(0, setting.find('=')));
        const std::string_view value = setting.substr(std::min(setting.size(), name.size() + 1));
        std::int64_t number = 0;
        const char* const last = value.data() + value.size();
        const auto [end, error] = std::from_chars(value.data(), last, number);
        json[name] = error == std::errc() && end == last ? Json(number) : Json(value);
    }
    return json;
}

Json times_ms(const Measurement& measurement) {
    return json_list(measurement.samples_ns, [](double sample) { return sample / kNsPerMs; });
}

/// The median; of a failure its name.
Json time_ms(const Measurement& measurement, std::string_view failure) {
    return measurement.verdict == Verdict::timed
               ? Json(summarize(measurement.samples_ns).median_ns / kNsPerMs)
               : Json(failure);
}

Json t4_result(const Measurement& measurement) {
    static const std::map<Verdict, const char*> kInvalidity{
        {Verdict::timed, "correct"},         {Verdict::compile_failed, "compile"},
        {Verdict::launch_failed, "runtime"}, {Verdict::wrong_result, "correctness"},
        {Verdict::timed_out, "timeout"},     {Verdict::crashed, "runtime"}};
    const Json time = time_ms(measurement, to_string(measurement.verdict));
    return {{"timestamp", measurement.provenance.created_at},
            {"configuration", configuration_json(measurement.configuration)},
            {"times", {{"runtimes", times_ms(measurement)}}},
            {"invalidity", kInvalidity.at(measurement.verdict)},
            {"correctness", measurement.verdict == Verdict::timed ? 1 : 0},
            {"measurements", Json::array({{{"name", "time"}, {"value", time}, {"unit", "ms"}}})},
            {"objectives", Json::array({"time"})}};
}

/// One member of the table of a cache.
Json cache_entry(const Measurement& measurement) {
    Json entry = configuration_json(measurement.configuration);
    entry["time"] = time_ms(measurement, measurement.verdict == Verdict::compile_failed
                                             ? "CompilationFailedConfig"
                                             : "RuntimeFailedConfig");
    entry["times"] = times_ms(measurement);
    for (const char* unknown : {"compile_time", "verification_time", "benchmark_time",
                                "strategy_time", "framework_time"}) {
        entry[unknown] = 0;
    }
    entry["timestamp"] = measurement.provenance.created_at;
    return entry;
}

/// The results of a cache, in the order in which their configurations first occur.
struct CacheTable {
    Json parameters = Json::object();  ///< the values that occur
    std::vector<std::string> lines;    ///< as Kernel Tuner appends them
    std::map<std::string, std::size_t> places;

    void add(const Measurement& measurement) {
        const Json configuration = configuration_json(measurement.configuration);
        std::vector<std::string> words;
        for (const auto& [name, value] : configuration.items()) {
            words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
            Json& values = parameters[name];
            if (std::find(values.begin(), values.end(), value) == values.end()) {
                values.push_back(value);
            }
        }
        const std::string key = fmt::format("{}", fmt::join(words, ","));
        const auto [place, is_new] = places.emplace(key, lines.size());
        lines.resize(std::max(lines.size(), place->second + 1));
        lines[place->second] = json_text(key) + ": " + json_text(cache_entry(measurement));
    }
};

}  // namespace

RecordedSpace read_recorded(const std::filesystem::path& path) {
    constexpr ForeignFormat kFormat{"the recorded results", "results"};
    const Json answer = read_in_python(kFormat, path, read_json_text(path));
    try {
        return space_of(answer);
    } catch (const Json::exception&) {
        refuse_answer(kFormat, path);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
    }
}

Json t4_document(std::span<const Measurement> measurements) {
    Json results = Json::array();
    for (const Measurement& measurement : measurements) {
        if (is_of_search(measurement)) {
            results.push_back(t4_result(measurement));
        }
    }
    return {{"metadata", {{"timeunit", "milliseconds"}}},
            {"results", results},
            {"schema_version", "1.0.0"}};
}

std::string kernel_tuner_cache(std::span<const Measurement> measurements) {
    CacheTable table;
    Json document{{"schema_version", kVersionOfCache}};
    Json sizes = Json::array();
    if (!measurements.empty()) {
        const Measurement& first = measurements.front();
        document["device_name"] = first.provenance.device_name;
        document["kernel_name"] = first.key.kernel;
        for (const Json& size : configuration_json(first.sizes)) {
            sizes.push_back(size);
        }
    }
    for (const Measurement& measurement : measurements) {
        if (is_of_search(measurement)) {
            table.add(measurement);
        }
    }
    document["problem_size"] = sizes;
    document["tune_params_keys"] = Json::array();
    for (const auto& [name, values] : table.parameters.items()) {
        document["tune_params_keys"].push_back(name);
    }
    document["tune_params"] = table.parameters;
    document["objective"] = "time";
    std::string head = json_text(document, 0);
    head.resize(head.size() - 2);  // "\n}"
    // Kernel Tuner looks for these three characters at the end, and appends results before them.
    return fmt::format("{},\n\"cache\": {{\n{}}}\n}}", head, fmt::join(table.lines, ",\n"));
}

}  // namespace jitune::internal
