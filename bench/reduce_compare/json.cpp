// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reduce_compare/report.hpp"
#include "reduce_compare/targets.hpp"

namespace jitune::bench {

namespace {

using Json = nlohmann::ordered_json;

Json measured(const Result& result, const Measured& side, const Baseline& baseline) {
    const double gbps = result.gbps(side);
    return {{"us", side.timing.us}, {"noise", side.timing.noise},
            {"gbps", gbps},         {"share", gbps / baseline.ceiling.gbps},
            {"right", side.right},  {"how", side.how}};
}

Json entry(const Result& result, const Baseline& baseline) {
    const Problem& problem = result.cell.problem;
    Json json{{"shape", to_string(problem.shape)},
              {"type", to_string(problem.element)},
              {"op", op_name(problem.op)},
              {"outer", problem.outer},
              {"inner", problem.inner},
              {"offset", result.cell.misaligned},
              {"cache", result.cell.warm ? "warm" : "cold"},
              {"way", to_string(result.way)},
              {"jitune", measured(result, result.jitune, baseline)}};
    if (result.cub) {
        json["cub"] = measured(result, *result.cub, baseline);
        json["ratio"] = result.ratio();
        json["slower"] = result.slower(baseline.floor.of(result.way));
    }
    return json;
}

}  // namespace

std::string json_text(const std::vector<Result>& results, const Baseline& baseline) {
    Json json{{"device", baseline.device},
              {"ceiling_gbps", baseline.ceiling.gbps},
              {"noise_floor", {{"chain", baseline.floor.chain}, {"stream", baseline.floor.stream}}},
              {"results", Json::array()},
              {"targets", Json::array()}};
    for (const Result& result : results) {
        json["results"].push_back(entry(result, baseline));
    }
    for (const Target& target : judged_targets(results)) {
        if (target.measured_us) {
            json["targets"].push_back({{"cell", text(target.cell)},
                                       {"us", target.us},
                                       {"measured_us", *target.measured_us},
                                       {"met", target.met()},
                                       {"source", target.source}});
        }
    }
    return json.dump(2) + "\n";
}

}  // namespace jitune::bench
