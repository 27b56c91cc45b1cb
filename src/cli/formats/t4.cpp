// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t4.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/json_file.hpp"
#include "cli/tune/recorded_results.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "tuning/finals/finals.hpp"

namespace jitune::internal {

namespace {

constexpr double kNsPerMs = 1e6;

[[noreturn]] void refuse_t4(const std::string& message) {
    throw Error(ErrorKind::usage, "T4: " + message);
}

double ns_per_unit(const std::string& unit) {
    static const std::map<std::string, double> kUnits{{"s", 1e9},
                                                      {"seconds", 1e9},
                                                      {"us", 1e3},
                                                      {"microseconds", 1e3},
                                                      {"microsecond", 1e3},
                                                      {"nanoseconds", 1.0},
                                                      {"nanosecond", 1.0},
                                                      {"ns", 1.0},
                                                      {"", kNsPerMs},
                                                      {"ms", kNsPerMs},
                                                      {"milliseconds", kNsPerMs},
                                                      {"miliseconds", kNsPerMs},  // in FAIR files
                                                      {"millisecond", kNsPerMs}};
    const auto known = kUnits.find(unit);
    if (known == kUnits.end()) {
        refuse_t4(fmt::format("unknown unit of time \"{}\": use s, ms, us or ns", unit));
    }
    return known->second;
}

std::string text_of(const ParsedJson& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The measurement that holds the time of the result, or null.
const ParsedJson* time_of(const ParsedJson& result) {
    const auto measurements = result.find("measurements");
    if (measurements == result.end() || !measurements->is_array()) {
        return nullptr;
    }
    const auto objectives = result.find("objectives");
    std::vector<std::string> names{"time"};
    if (objectives != result.end() && objectives->is_array() && !objectives->empty() &&
        objectives->front().is_string()) {
        names.push_back(objectives->front().get<std::string>());
    }
    for (const std::string& name : names) {
        for (const ParsedJson& measurement : *measurements) {
            if (measurement.is_object() && text_of(measurement, "name") == name) {
                return &measurement;
            }
        }
    }
    return nullptr;
}

std::optional<double> time_ns_of(const ParsedJson& result) {
    const std::string invalidity = text_of(result, "invalidity");
    const ParsedJson* time = time_of(result);
    if ((!invalidity.empty() && invalidity != "correct") || time == nullptr) {
        return std::nullopt;
    }
    const auto value = time->find("value");
    if (value == time->end() || !value->is_number()) {
        return std::nullopt;
    }
    const auto number = value->get<double>();
    const bool usable = number > 0 && number < kFailureOfKernelTuner;
    return usable ? std::optional(number * ns_per_unit(text_of(*time, "unit"))) : std::nullopt;
}

RecordedResults results_with_parameters_of(const ParsedJson& configuration) {
    std::vector<std::string> names;
    for (const auto& item : configuration.items()) {
        names.push_back(item.key());
    }
    return RecordedResults(std::move(names));
}

Json t4_result(const Measurement& measurement) {
    Json configuration = Json::object();
    for (const auto& [name, value] : configuration_members(measurement.configuration)) {
        configuration[name] = value;
    }
    static const std::map<Verdict, const char*> kInvalidity{
        {Verdict::timed, "correct"},         {Verdict::compile_failed, "compile"},
        {Verdict::launch_failed, "runtime"}, {Verdict::wrong_result, "correctness"},
        {Verdict::timed_out, "timeout"},     {Verdict::crashed, "runtime"}};
    const bool timed = measurement.verdict == Verdict::timed;
    Json runtimes = Json::array();
    for (const double sample : measurement.samples_ns) {
        runtimes.push_back(sample / kNsPerMs);
    }
    const Json time = timed ? Json(summarize(measurement.samples_ns).median_ns / kNsPerMs)
                            : Json(to_string(measurement.verdict));
    return {{"timestamp", measurement.provenance.created_at},
            {"configuration", configuration},
            {"times", {{"runtimes", runtimes}}},
            {"invalidity", kInvalidity.at(measurement.verdict)},
            {"correctness", timed ? 1 : 0},
            {"measurements", Json::array({{{"name", "time"}, {"value", time}, {"unit", "ms"}}})},
            {"objectives", Json::array({"time"})}};
}

}  // namespace

RecordedSpace parse_t4(const ParsedJson& document) {
    const auto results = document.is_object() ? document.find("results") : document.end();
    if (results == document.end() || !results->is_array() || results->empty()) {
        refuse_t4("the document must be an object with a list \"results\"");
    }
    std::optional<RecordedResults> recorded;
    std::size_t parameters = 0;
    for (std::size_t number = 0; number < results->size(); ++number) {
        const ParsedJson& result = (*results)[number];
        const auto configuration = result.is_object() ? result.find("configuration") : result.end();
        if (configuration == result.end() || !configuration->is_object()) {
            refuse_t4(fmt::format("result {} has no configuration", number));
        }
        if (!recorded) {
            parameters = configuration->size();
            recorded = results_with_parameters_of(*configuration);
        } else if (configuration->size() > parameters) {
            refuse_t4(fmt::format("result {} has more parameters than the first", number));
        }
        if (text_of(result, "invalidity") != "constraints") {
            recorded->add(*configuration, fmt::format("T4: result {}", number), time_ns_of(result));
        }
    }
    return recorded->space();
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

}  // namespace jitune::internal
