// SPDX-License-Identifier: Apache-2.0
#include "worklist_results.hpp"

#include "cli/db/record_json.hpp"
#include "support/text_file.hpp"

namespace jitune::bench {

namespace {

using namespace jitune::internal;

constexpr std::pair<Effort, const char*> kEfforts[]{{Effort::brief, "brief"},
                                                    {Effort::full, "full"}};

Json json_of(const MeasuredTuning& tuning) {
    Json winners = Json::array();
    for (const Winner& winner : tuning.winners) {
        winners.push_back(to_json(winner));
    }
    return {{"seconds", tuning.seconds}, {"winners", winners}};
}

Json json_of(const MeasuredItem& one) {
    Json misses = Json::array();
    for (const CallRecord& miss : one.item.misses) {
        misses.push_back(to_json(miss));
    }
    Json times = Json::object();
    for (const auto& [configuration, ns] : one.times_ns) {
        times[configuration] = ns;
    }
    Json row{{"misses", misses}, {"default", one.standard}, {"times_ns", times}};
    for (const auto& [effort, name] : kEfforts) {
        row[name] = json_of(one.tunings.at(effort));
    }
    return row;
}

MeasuredTuning tuning_from(const Json& json) {
    MeasuredTuning tuning{member(json, "seconds").get<double>()};
    for (const Json& winner : list_member(json, "winners")) {
        tuning.winners.push_back(from_json<Winner>(winner));
    }
    return tuning;
}

MeasuredItem item_from(const Json& json) {
    MeasuredItem one;
    for (const Json& miss : list_member(json, "misses")) {
        one.item.misses.push_back(from_json<CallRecord>(miss));
    }
    one.standard = text_member(json, "default");
    for (const auto& [configuration, ns] : member(json, "times_ns").items()) {
        one.times_ns[configuration] = ns.get<double>();
    }
    for (const auto& [effort, name] : kEfforts) {
        one.tunings[effort] = tuning_from(member(json, name));
    }
    return one;
}

}  // namespace

void save(const Measured& measured, const std::filesystem::path& path) {
    Json items = Json::array();
    for (const MeasuredItem& one : measured.items) {
        items.push_back(json_of(one));
    }
    const Json document{{"trace", measured.trace},
                        {"device_name", measured.device_name},
                        {"budget_s", measured.budget_s},
                        {"brief_part", measured.brief_part},
                        {"items", items}};
    write_file(path, {json_text(document, 1), "\n"});
}

Measured load(const std::filesystem::path& path) {
    const Json document = read_json(path);
    Measured measured{text_member(document, "trace"), text_member(document, "device_name"),
                      member(document, "budget_s").get<double>(),
                      member(document, "brief_part").get<double>()};
    for (const Json& item : list_member(document, "items")) {
        measured.items.push_back(item_from(item));
    }
    return measured;
}

}  // namespace jitune::bench
