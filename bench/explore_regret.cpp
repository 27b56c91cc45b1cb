// SPDX-License-Identifier: Apache-2.0
// Measures the cost of tries inside calls (Options::explore_share). Two sessions of the policy
// `background` sum float32 with one database, whose winners are tuned ahead. One session explores,
// the other does not; blocks of their calls take turns for SECONDS.
//
//     explore_regret SECONDS [DEVICE [SHARE]]
//
// DEVICE is host or cuda. Prints for each size the time of the calls of the one over that of the
// other, block by block, with a 99 % interval, then what the exploring session has tried. A
// replacement shows as a gain. The sum of every block is checked.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "jitune/reduce.hpp"
#include "measure/paired_comparison.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/tuning_store.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::int64_t, 4> kSizes{20'000, 70'000, 500'000, 3'000'000};
constexpr double kBlockS = 0.02;

/// Values of which each result is told from others.
std::vector<float> random_values() {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> value(0, 1);
    std::vector<float> values(static_cast<std::size_t>(kSizes.back()));
    for (float& one : values) {
        one = value(random);
    }
    return values;
}

class Calls {
public:
    Calls(const Options& options, std::string_view device, const std::vector<float>& values)
        : session_(options), host_(values) {
        if (device != "host") {
            Device& gpu = SessionAccess::engine(session_).device(device);
            memory_ = gpu.allocate(values.size() * sizeof(float));
            result_ = gpu.allocate(sizeof(float));
            gpu.make_bench()->upload(memory_->data(), std::as_bytes(std::span(values)));
        }
    }

    /// Seconds for one call of so many in a row.
    double run(std::int64_t n, int calls) {
        const auto start = Clock::now();
        float sum = 0;
        if (memory_ == nullptr) {
            for (int i = 0; i < calls; ++i) {
                sum = tuned_reduce(std::span(host_).first(static_cast<std::size_t>(n)),
                                   ReduceOp::sum, session_);
            }
        } else {
            const auto* const in = static_cast<const float*>(memory_->data());
            for (int i = 0; i < calls - 1; ++i) {
                tuned_reduce(in, n, static_cast<float*>(result_->data()), ReduceOp::sum, nullptr,
                             session_);
            }
            sum = tuned_reduce(in, n, ReduceOp::sum, nullptr, session_);  // waits
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (std::abs(sum / static_cast<float>(n) - 0.5F) > 0.01F) {
            fmt::print(stderr, "the sum of {} is {}\n", n, sum);
            std::exit(1);
        }
        return seconds / calls;
    }
    [[nodiscard]] Counters counters() const { return session_.counters(); }

private:
    Session session_;
    const std::vector<float>& host_;
    std::unique_ptr<DeviceMemory> memory_, result_;
};

void print_ledger(const Options& options, double calls_s) {
    const auto store =
        TuningStore::open(options.database, TuningStore::Access::read_only, Log(LogLevel::warning));
    double cost_s = 0;
    for (const Exploration& one : store->explorations()) {
        cost_s += one.cost_ns * 1e-9;
        fmt::print("  {}: {} tries, {:.3g} ms, {} ({:.3f} to {:.3f} of the winner's time): {}\n",
                   one.sizes, one.tries, one.cost_ns * 1e-6, one.outcome, one.ratio_low,
                   one.ratio_high, one.configuration);
    }
    fmt::print("all tries took {:.3f} % of the calls' {:.3g} s\n", 100 * cost_s / calls_s, calls_s);
}

/// The calls of a block, for each size. Tunes the sizes.
std::array<int, kSizes.size()> block_sizes(const Options& options, std::string_view device,
                                           const std::vector<float>& values) {
    std::array<int, kSizes.size()> calls{};
    Calls tuned(options, device, values);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
        tuned.run(kSizes[i], 2);
        while (tuned.counters().pending > 0) {  // the budget is over, the tuning goes on
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        calls[i] = static_cast<int>(std::clamp(kBlockS / tuned.run(kSizes[i], 100), 2.0, 1e5));
    }
    return calls;
}

/// Prints how the calls compare. Returns the seconds of those that explore.
double compare(Calls& plain, Calls& exploring, const std::array<int, kSizes.size()>& calls,
               double seconds) {
    std::array<std::vector<double>, kSizes.size()> without, with;
    double exploring_s = 0;
    const auto start = Clock::now();
    for (int round = 0; std::chrono::duration<double>(Clock::now() - start).count() < seconds;
         ++round) {
        for (std::size_t i = 0; i < kSizes.size(); ++i) {
            const bool swapped = round % 2 == 1;
            const double first = (swapped ? exploring : plain).run(kSizes[i], calls[i]);
            const double second = (swapped ? plain : exploring).run(kSizes[i], calls[i]);
            without[i].push_back(swapped ? second : first);
            with[i].push_back(swapped ? first : second);
            exploring_s += with[i].back() * calls[i];
        }
    }
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
        const Ratio ratio = ratio_of(with[i], without[i]);
        fmt::print("n={}: {} blocks of {} calls, exploring over not: {:.4f} ({:.4f} to {:.4f})\n",
                   kSizes[i], with[i].size(), calls[i], ratio.estimate, ratio.low, ratio.high);
    }
    return exploring_s;
}

}  // namespace

int main(int argc, char** argv) try {
    const double seconds = argc < 2 ? 0 : std::atof(argv[1]);
    if (!(seconds > 0)) {
        fmt::print(stderr, "usage: explore_regret SECONDS [DEVICE [SHARE]]\n");
        return 2;
    }
    const std::string_view device = argc > 2 ? argv[2] : "host";
    const TempDir folder;
    Options options = Options::from_environment();
    options.database = folder.path() / "tuning.db";
    options.on_miss = TunePolicy::now;
    const std::vector<float> values = random_values();
    const auto calls = block_sizes(options, device, values);
    options.on_miss = TunePolicy::background;
    Calls plain(options, device, values);
    options.explore_share = argc > 3 ? std::atof(argv[3]) : 0.01;
    auto exploring = std::make_unique<Calls>(options, device, values);
    const double exploring_s = compare(plain, *exploring, calls, seconds);
    const Counters counters = exploring->counters();
    exploring.reset();  // writes what it has learnt
    fmt::print("{} tries, {} answers replaced\n", counters.explored, counters.replaced);
    print_ledger(options, exploring_s);
    return 0;
} catch (const Error& error) {
    fmt::print(stderr, "explore_regret: {}\n", error.what());
    return 1;
}
