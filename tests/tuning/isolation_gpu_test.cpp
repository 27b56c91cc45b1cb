// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "fixtures/behaviour_kernel.hpp"
#include "tuning/finalist.hpp"

namespace jitune::internal {
namespace {

struct Expectation {
    const char* behaviour;
    Verdict verdict;
};

const std::vector<Expectation>& expectations() {
    static const std::vector<Expectation> all{
        {"good", Verdict::timed},
        {"off_by_one", Verdict::wrong_result},
        {"sometimes_wrong", Verdict::wrong_result},
        {"out_of_bounds", Verdict::wrong_result},
        {"segfault", Verdict::launch_failed},
        {"misaligned", Verdict::launch_failed},
        {"trap", Verdict::launch_failed},
        {"assertion", Verdict::launch_failed},
        {"hang", Verdict::timed_out},
        {"four_mebibytes", Verdict::launch_failed},
        {"compile_error", Verdict::compile_failed},
    };
    return all;
}

TEST(IsolationGpu, NamesEveryBadCandidateAndMeasuresEveryGoodOne) {
    Options options;
    options.database.clear();
    options.worker = JITUNE_BEHAVIOUR_SWEEP;
    options.hang_limit = std::chrono::milliseconds(6000);
    Engine engine(options, families());
    Device* device = nullptr;
    try {
        device = &engine.device("cuda");
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    std::vector<std::string> spec{"behaviour", "cuda"};
    for (const Expectation& one : expectations()) {
        spec.emplace_back(one.behaviour);
    }
    const Kernel kernel = behaviour_kernel(spec);
    const TuneReport report = engine.tune_and_store({*device, kernel, behaviour_problem(5000)},
                                                    {.strategy = "exhaustive"});
    EXPECT_TRUE(report.winner.complete);
    std::map<std::string, Measurement> found;
    for (const Measurement& one : report.measurements) {
        if (!is_of_finals(one)) {
            found.emplace(one.configuration, one);
        }
    }
    for (const Expectation& one : expectations()) {
        for (int copy = 1; copy <= 4; ++copy) {
            const Measurement& measurement = found.at("behaviour=" + std::string(one.behaviour) +
                                                      " copy=" + std::to_string(copy));
            EXPECT_EQ(measurement.verdict, one.verdict)
                << measurement.configuration << ": " << measurement.reason;
        }
    }
}

}  // namespace
}  // namespace jitune::internal
