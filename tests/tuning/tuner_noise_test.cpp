// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "fake/fake_sum.hpp"
#include "tuning/tuner.hpp"

// How good the winners of tunings are when the times of the device vary.

namespace jitune::internal {
namespace {

/// The factors by which a device's times vary: they drift by some percent, are disturbed for a
/// while now and then, and have a long tail upwards, as recorded samples do.
class Noise {
public:
    explicit Noise(unsigned seed) : random_(seed) {}

    double next() {
        ++samples_;
        walk_ = 0.999 * walk_ + 0.0005 * normal_(random_);
        if (uniform_(random_) < 0.001) {
            disturbed_ = 10;
        }
        const double disturbance = disturbed_-- > 0 ? 1.1 : 1;
        const double tail = uniform_(random_) < 0.04 ? 1 + 0.2 * uniform_(random_) : 1;
        const double drift = 1 + walk_ + 0.02 * std::sin(samples_ / 500.0);
        return drift * disturbance * tail * std::exp(0.004 * normal_(random_));
    }

private:
    std::mt19937 random_;
    std::normal_distribution<double> normal_{0, 1};
    std::uniform_real_distribution<double> uniform_{0, 1};
    double samples_ = 0;
    double walk_ = 0;
    int disturbed_ = 0;
};

// A parameter has at most 255 values, so two of them number the candidates.
constexpr std::size_t kRows = 43;
constexpr std::size_t kColumns = 7;
constexpr int kCandidates = kRows * kColumns - 1;  // beside the default, which is the first

std::string numbers_below(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return fmt::format("{}", fmt::join(numbers, ", "));
}

/// A kernel with one configuration for each candidate.
Kernel kernel_of_candidates() {
    const std::string text = fmt::format(
        "/* jitune template\nkernel = \"sum\"\nbackend = \"cuda\"\nsizes = [\"n\"]\n"
        "[parameters]\nrow = {{ values = [{}], default = 0 }}\n"
        "column = {{ values = [{}], default = 0 }}\n"
        "[arguments]\nvalues = {{ access = \"in\", type = \"int32\", count = \"n\" }}\n"
        "n = {{ access = \"scalar\", type = \"uint64\", value = \"n\" }}\n"
        "ticket = {{ access = \"zeroed\", type = \"uint32\", count = \"1\" }}\n"
        "result = {{ access = \"out\", type = \"int32\", count = \"1\" }}\n"
        "[[launch]]\nentry = \"candidate\"\ntemplate = [\"row\", \"column\"]\n"
        "arguments = [\"values\", \"n\", \"ticket\", \"result\"]\nblock = \"32\"\ngrid = \"1\"\n"
        "*/\n",
        numbers_below(kRows), numbers_below(kColumns));
    return {KernelTemplate({"sum.cu", text, {}}), fake_sum_workload()};
}

/// Tunes candidates that take `times`, and returns the time of the winner.
double winners_time(const Kernel& kernel, const std::vector<double>& times, unsigned seed) {
    FakeDevice device;
    device.kernel = right_sum;
    std::map<std::string, double> time_of;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t row = i / kColumns;
        const std::size_t column = i % kColumns;
        device.on(fmt::format("candidate<{}, {}>", row, column)).ns = times[i];
        time_of[fmt::format("row={} column={}", row, column)] = times[i];
    }
    Noise noise(seed);
    device.disturbance = [&] { return noise.next(); };
    SearchPlan plan;
    plan.seed = seed;
    BinaryCache binaries;
    const TuneHooks hooks;
    const TuneReport report =
        tune({device, kernel, fake_sum_problem(10)}, plan, hooks, binaries, Log(LogLevel::off));
    EXPECT_EQ(report.progress.evaluated, times.size());
    return time_of.at(report.winner.configuration);
}

/// A default, then `count` candidates that lie ever more densely towards the best, of 1000 ns.
std::vector<double> candidates(double default_ns, int count) {
    std::vector<double> times{default_ns};
    for (int i = 0; i < count; ++i) {
        const double x = static_cast<double>(i) / count;
        times.push_back(1000 * (1 + 3 * x * x));
    }
    return times;
}

TEST(TunerNoise, NineOfTenTuningsFindAWinnerWithinOnePercentOfTheBest) {
    const Kernel kernel = kernel_of_candidates();
    for (const double default_ns : {1004.0, 1015.0, 1100.0, 2000.0}) {
        for (unsigned set = 0; set < 2; ++set) {
            int good = 0;
            for (unsigned i = 0; i < 10; ++i) {
                const double time =
                    winners_time(kernel, candidates(default_ns, kCandidates), 10 * set + i);
                good += time <= 1010 ? 1 : 0;
            }
            EXPECT_GE(good, 9) << "set " << set << " default " << default_ns;
        }
    }
}

TEST(TunerNoise, NoTuningReplacesADefaultThatIsTheBest) {
    const Kernel kernel = kernel_of_candidates();
    std::vector<double> times = candidates(1000, kCandidates);
    for (std::size_t i = 1; i < times.size(); ++i) {
        times[i] *= 1.003;
    }
    for (unsigned seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(winners_time(kernel, times, seed), 1000) << seed;
    }
}

}  // namespace
}  // namespace jitune::internal
