// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "attack/tally.hpp"
#include "attack/zoo.hpp"
#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "fixtures/behaviour_kernel.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal {

/// Tunes candidates of the zoo in worker processes.
class ZooFixture : public testing::Test {
protected:
    ZooFixture() {
        options_.database.clear();
        options_.log_level = LogLevel::error;
        options_.worker = JITUNE_BEHAVIOUR_WORKER;
        options_.hang_limit = std::chrono::milliseconds(3000);
        options_.compile_limit = std::chrono::milliseconds(20'000);
    }

    static std::vector<std::string> names(PlatformKind platform, bool with_slow) {
        std::vector<std::string> result;
        for (const Behaviour& one : zoo(platform)) {
            if (with_slow || !one.slow) {
                result.emplace_back(one.name);
            }
        }
        return result;
    }

    /// Tries every copy of each behaviour. The names begin with "good".
    static TuneReport tune(Engine& engine, Device& device, int copies,
                           const std::vector<std::string>& behaviours) {
        std::vector<std::string> spec{"behaviour", std::string(to_string(device.info().platform)),
                                      std::to_string(copies)};
        spec.insert(spec.end(), behaviours.begin(), behaviours.end());
        return engine.tuner().tune({device, behaviour_kernel(spec), behaviour_problem(5000)},
                                   {.strategy = "exhaustive"});
    }

    /// Whether a verdict is the one that a behaviour deserves, with its reason.
    static bool is_named(const Measurement& got, const Behaviour& expected) {
        if (expected.rare && got.verdict == Verdict::timed) {
            return true;
        }
        const bool is_right =
            expected.verdict ? got.verdict == *expected.verdict : got.verdict != Verdict::timed;
        return is_right && got.reason.find(expected.reason) != std::string::npos;
    }

    /// That each candidate got its own verdict, whoever ran beside it.
    static void expect_named(const TuneReport& report, PlatformKind platform, int copies,
                             const std::vector<std::string>& behaviours) {
        std::map<std::string, Measurement> found;
        for (const Measurement& one : report.measurements) {
            if (!is_of_finals(one)) {
                found.insert_or_assign(one.configuration, one);
            }
        }
        EXPECT_EQ(found.size(), copies * behaviours.size());
        Tally tally(fmt::format("candidates of the zoo, each named: {}", to_string(platform)));
        for (const std::string& name : behaviours) {
            const Behaviour& expected = behaviour_of(platform, name);
            for (int copy = 1; copy <= copies; ++copy) {
                const auto at = found.find(fmt::format("behaviour={} copy={}", name, copy));
                ASSERT_TRUE(at != found.end()) << name;
                const Measurement& got = at->second;
                SCOPED_TRACE(got.configuration + ": " + std::string(to_string(got.verdict)) + ": " +
                             got.reason);
                const bool named = is_named(got, expected);
                EXPECT_TRUE(named)
                    << "expected " << (expected.verdict ? to_string(*expected.verdict) : "a fault")
                    << ": " << expected.reason;
                tally.add(named);
            }
        }
        const std::string winner = report.winner.configuration;
        const std::string name = winner.substr(10, winner.find(' ') - 10);
        EXPECT_EQ(behaviour_of(platform, name).verdict, Verdict::timed) << winner;
        EXPECT_TRUE(report.winner.complete);
    }

    Options options_;
};

}  // namespace jitune::internal
