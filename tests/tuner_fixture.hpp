#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "engine/tuner.hpp"
#include "fake_sum.hpp"

namespace jitune {

inline constexpr std::size_t kSpace = 12;

/// Tunes the fake sum on a fake device.
class TunerTest : public testing::Test {
protected:
    TunerTest() { backend_.kernel = right_sum; }

    FakeBehaviour& on(int block, int items) { return backend_.on(fake_sum(block, items)); }

    /// Every configuration but the default.
    void on_all_others(const std::function<void(FakeBehaviour&)>& change) {
        for (const int block : {32, 64, 128, 256}) {
            for (const int items : {1, 2, 4}) {
                if (block != 64 || items != 2) {
                    change(on(block, items));
                }
            }
        }
    }

    TuneReport tune() {
        return jitune::tune(backend_, kernel_.kernel_template, *kernel_.workload, problem_,
                            options_, binaries_, Log(LogLevel::off));
    }

    /// The first-round measurement of a configuration.
    static const Measurement& of(const TuneReport& report, const std::string& configuration) {
        const auto found = std::find_if(
            report.measurements.begin(), report.measurements.end(),
            [&](const Measurement& one) { return one.configuration == configuration; });
        EXPECT_NE(found, report.measurements.end()) << configuration;
        return *found;
    }
    static std::size_t interleaved(const TuneReport& report) {
        return static_cast<std::size_t>(std::count_if(
            report.measurements.begin(), report.measurements.end(),
            [](const Measurement& one) { return one.conditions.ends_with(" interleaved"); }));
    }

    FakeBackend backend_;
    Kernel kernel_ = fake_sum_kernel();
    Problem problem_ = fake_sum_problem();
    TuneOptions options_;
    BinaryCache binaries_;
};

}  // namespace jitune
