// SPDX-License-Identifier: Apache-2.0
// How long calls take under the policy `background`, from an empty database on: CALLS calls of five
// operations on random sizes from 1 to 2^24, then, once the problems are tuned or SECONDS are over,
// as many again.
//
//     first_calls CALLS SECONDS [DEVICE]
//
// DEVICE is host or cuda. Every result is checked. A call's pause is its time beyond the median of
// the calls of its operation and octave in the same round. Uses no database but its own, in TMPDIR.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "jitune/reduce.hpp"
#include "support/temp_dir.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMost = 1 << 24;
constexpr std::array kOps{ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::arg_max,
                          ReduceOp::count_nonzero};

/// The elements, and the results of each beginning of them.
struct Data {
    std::vector<std::int32_t> values;
    std::array<std::vector<std::int64_t>, kOps.size()> results;

    Data() {
        std::mt19937_64 random(1);
        std::int32_t sum = 0;
        std::int64_t lowest = INT32_MAX, highest = INT32_MIN, place = 0, nonzero = 0;
        for (std::int64_t i = 0; i < kMost; ++i) {
            const auto value = static_cast<std::int32_t>(random() % 3 == 0 ? 0 : random() >> 33);
            values.push_back(value);
            sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                            static_cast<std::uint32_t>(value));
            lowest = std::min<std::int64_t>(lowest, value);
            if (value > highest) {
                highest = value;
                place = i;
            }
            nonzero += value != 0 ? 1 : 0;
            const std::array<std::int64_t, kOps.size()> now{sum, lowest, highest, place, nonzero};
            for (std::size_t op = 0; op < kOps.size(); ++op) {
                results[op].push_back(now[op]);
            }
        }
    }
};

struct Call {
    std::size_t op;
    std::int64_t n;
    double wall_us;
    double cpu_us;
};

double cpu_us() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Round {
public:
    /// `device`: the elements in device memory, or null.
    Round(const Data& data, Session& session, const std::int32_t* device, std::uint64_t seed)
        : data_(data), session_(session), device_(device), random_(seed) {}

    void run(std::int64_t calls) {
        std::uniform_real_distribution<double> exponent(0, 24);
        for (std::int64_t i = 0; i < calls; ++i) {
            const auto n = static_cast<std::int64_t>(std::exp2(exponent(random_)));
            one(random_() % kOps.size(), std::clamp<std::int64_t>(n, 1, kMost));
        }
    }

    void print(const char* name) {
        std::map<std::pair<std::size_t, int>, std::vector<double>> groups;
        for (const Call& call : calls_) {
            groups[group(call)].push_back(call.wall_us);
        }
        for (auto& [key, times] : groups) {
            std::sort(times.begin(), times.end());
        }
        std::vector<std::pair<double, Call>> pauses;
        double log_sum = 0;
        for (const Call& call : calls_) {
            const auto& times = groups[group(call)];
            pauses.emplace_back(call.wall_us - times[times.size() / 2], call);
            log_sum += std::log(call.wall_us);
        }
        std::sort(pauses.begin(), pauses.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto at = [&](double share) {
            return pauses[static_cast<std::size_t>(share * static_cast<double>(pauses.size() - 1))]
                .first;
        };
        fmt::print(
            "{}: {} calls, geometric mean {:.2f} us; pauses in us: 99 % {:.1f}, 99.9 % "
            "{:.1f}, 99.99 % {:.1f}, longest {:.1f}\n",
            name, calls_.size(), std::exp(log_sum / static_cast<double>(calls_.size())), at(0.99),
            at(0.999), at(0.9999), at(1));
        for (std::size_t i = 0; i < std::min<std::size_t>(5, pauses.size()); ++i) {
            const auto& [pause, call] = pauses[pauses.size() - 1 - i];
            fmt::print("  pause {:.0f} us, of which the thread ran {:.0f} at most: {} of {}\n",
                       pause, call.cpu_us, to_string(kOps[call.op]), call.n);
        }
    }

private:
    static std::pair<std::size_t, int> group(const Call& call) {
        return {call.op, std::bit_width(static_cast<std::uint64_t>(call.n))};
    }

    void one(std::size_t op, std::int64_t n) {
        const double cpu = cpu_us();
        const auto start = Clock::now();
        const std::int64_t got = value_of(kOps[op], n);
        const double wall = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        calls_.push_back({op, n, wall, cpu_us() - cpu});
        if (got != data_.results[op][static_cast<std::size_t>(n - 1)]) {
            fmt::print(stderr, "{} of {}: {} instead of {}\n", to_string(kOps[op]), n, got,
                       data_.results[op][static_cast<std::size_t>(n - 1)]);
            std::exit(1);
        }
    }

    std::int64_t value_of(ReduceOp op, std::int64_t n) {
        const std::span host(data_.values.data(), static_cast<std::size_t>(n));
        if (op == ReduceOp::arg_max || op == ReduceOp::count_nonzero) {
            return device_ == nullptr
                       ? tuned_reduce<std::int64_t>(host, op, session_)
                       : tuned_reduce<std::int64_t>(device_, n, op, nullptr, session_);
        }
        return device_ == nullptr ? tuned_reduce(host, op, session_)
                                  : tuned_reduce(device_, n, op, nullptr, session_);
    }

    const Data& data_;
    Session& session_;
    const std::int32_t* device_;
    std::mt19937_64 random_;
    std::vector<Call> calls_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::int64_t calls = argc < 3 ? 0 : std::atoll(argv[1]);
    if (calls < 1) {
        fmt::print(stderr, "usage: first_calls CALLS(1 or more) SECONDS [DEVICE]\n");
        return 2;
    }
    const std::string_view where = argc > 3 ? argv[3] : "host";
    const TempDir folder;
    Options options = Options::from_environment();
    options.database = folder.path() / "tuning.db";
    options.on_miss = TunePolicy::background;
    Session session(options);
    const Data data;
    std::unique_ptr<DeviceMemory> memory;
    if (where != "host") {
        Device& device = SessionAccess::engine(session).device(where);
        const std::size_t bytes = data.values.size() * sizeof(std::int32_t);
        memory = device.allocate(bytes);
        device.make_bench()->upload(memory->data(), std::as_bytes(std::span(data.values)));
    }
    const auto* const device =
        memory == nullptr ? nullptr : static_cast<const std::int32_t*>(memory->data());

    Round first(data, session, device, 1);
    first.run(calls);
    first.print("first");
    const Counters then = session.counters();
    fmt::print("  {} pending, {} replaced\n", then.pending, then.replaced);
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
    while (session.counters().pending > 0 && Clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    Round second(data, session, device, 2);
    second.run(calls);
    second.print("second");
    const Counters now = session.counters();
    fmt::print("  {} pending, {} replaced, {} tunings\n", now.pending, now.replaced, now.tunings);
    return 0;
}
