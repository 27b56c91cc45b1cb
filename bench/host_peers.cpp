// SPDX-License-Identifier: Apache-2.0
// The sum on the CPU beside what C++ programs use for it: std::reduce with par_unseq over oneTBB,
// and OpenMP loops. One run, the ways in turn, each result verified.
//
//     host_peers [LARGEST_POWER_OF_2] [ROUNDS] [SECONDS_TO_TUNE_EACH]
//
// OpenMP's time is that of the better of two loops, `parallel for simd` and `simd` alone, at each
// size; the column behind it says which. The peers are compiled with -O3 -march=native, as jitune's
// kernels are. Between two ways the threads get time to fall asleep, because idle ones that still
// spin would disturb the next way; each way is called before it is timed.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jitune/reduce.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

struct Settings {
    int largest_power = 28;
    int rounds = 15;
    int seconds_to_tune = 5;
};

template <class T>
using Total = ReducedType<T>;

template <class T>
Total<T> reduce_parallel_simd(const T* values, std::size_t n) {
    Total<T> sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<Total<T>>(values[i]);
    }
    return sum;
}

template <class T>
Total<T> reduce_simd(const T* values, std::size_t n) {
    Total<T> sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<Total<T>>(values[i]);
    }
    return sum;
}

/// From -3 to 3 in turn: every order of summation is exact. Each thread touches its part first.
template <class T>
std::unique_ptr<T[]> make_values(std::size_t n) {
    auto values = std::make_unique_for_overwrite<T[]>(n);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
    }
    return values;
}

template <class T>
struct Way {
    const char* name;
    std::function<Total<T>()> call;
    std::size_t calls_per_round = 1;
    std::vector<double> us = {};  // per call, one for each round

    [[nodiscard]] double quantile(double q) const {
        std::vector<double> sorted = us;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
    }
    [[nodiscard]] double median() const { return quantile(0.5); }
};

template <class T>
Microseconds time_calls(const Way<T>& way, Total<T> expected) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < way.calls_per_round; ++i) {
        if (way.call() != expected) {
            throw std::runtime_error(std::string(way.name) + ": wrong sum");
        }
    }
    return Clock::now() - start;
}

template <class T>
void run_round(Way<T>& way, Total<T> expected, bool keep) {
    constexpr Microseconds kLongEnough{200};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    time_calls(way, expected);
    Microseconds time = time_calls(way, expected);
    while (!keep && time < kLongEnough) {
        way.calls_per_round *= 2;
        time = time_calls(way, expected);
    }
    if (keep) {
        way.us.push_back(time.count() / static_cast<double>(way.calls_per_round));
    }
}

template <class T>
void print_row(const char* type, int power, const std::vector<Way<T>>& ways,
               const std::string& configuration) {
    const auto spread = [](const Way<T>& way) {
        return 100 * (way.quantile(0.75) - way.quantile(0.25)) / way.median();
    };
    const Way<T>& prepared = ways[0];
    const Way<T>& plain = ways[1];
    const Way<T>& standard = ways[2];
    const bool parallel = ways[3].median() < ways[4].median();
    const Way<T>& openmp = parallel ? ways[3] : ways[4];
    const double best_peer = std::min(standard.median(), openmp.median());
    std::printf(
        "%-8s 2^%-3d %11.3f %3.0f%% %11.3f %3.0f%% %11.3f %3.0f%% %11.3f %3.0f%% %-8s "
        "%7.2f %7.2f   %s\n",
        type, power, prepared.median(), spread(prepared), plain.median(), spread(plain),
        standard.median(), spread(standard), openmp.median(), spread(openmp),
        parallel ? "parallel" : "simd", best_peer / prepared.median(), best_peer / plain.median(),
        configuration.c_str());
    std::fflush(stdout);
}

template <class T>
void compare(const char* type, int power, const Settings& settings, Session& session) {
    const std::size_t n = std::size_t{1} << power;
    const auto values = make_values<T>(n);
    const T* const data = values.get();
    const auto expected = std::accumulate(data, data + n, Total<T>{0});
    const auto prepared = prepare_reduce<T>(n, ReduceOp::sum, "host", session);
    const auto call_prepared = [&] {
        Total<T> result;
        prepared(data, &result, nullptr);
        return result;
    };
    const auto call_plain = [&] {
        return tuned_reduce(std::span(data, n), ReduceOp::sum, session);
    };
    std::vector<Way<T>> ways{
        {"jitune prepared", call_prepared},
        {"jitune", call_plain},
        {"std::reduce",
         [&] { return std::reduce(std::execution::par_unseq, data, data + n, Total<T>{0}); }},
        {"omp parallel for simd", [&] { return reduce_parallel_simd(data, n); }},
        {"omp simd", [&] { return reduce_simd(data, n); }},
    };
    for (int round = 0; round <= settings.rounds; ++round) {
        for (Way<T>& way : ways) {
            run_round(way, expected, round > 0);
        }
    }
    print_row(type, power, ways, prepared.info().configuration);
}

template <class T>
void compare_sizes(const char* type, const Settings& settings, Session& session) {
    for (int power = 10; power <= settings.largest_power; power += 2) {
        compare<T>(type, power, settings, session);
    }
}

void run(const Settings& settings) {
    Options options;
    options.database.clear();
    options.budget = std::chrono::seconds(settings.seconds_to_tune);
    Session session(options);
    std::printf(
        "sum on %u hardware threads; us per call (median, interquartile range of %d "
        "rounds); ratio = better peer / jitune\n",
        std::thread::hardware_concurrency(), settings.rounds);
    std::printf("%-8s %-5s %16s %16s %16s %25s %7s %7s   %s\n", "type", "n", "prepared",
                "plain call", "std::reduce", "OpenMP          ", "ratio", "plain", "configuration");
    compare_sizes<float>("float32", settings, session);
    compare_sizes<std::int32_t>("int32", settings, session);
    compare_sizes<double>("float64", settings, session);
    compare_sizes<std::int8_t>("int8", settings, session);
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int place, int standard) {
        return argc > place ? std::atoi(argv[place]) : standard;
    };
    const Settings standard;
    const Settings settings{number(1, standard.largest_power), number(2, standard.rounds),
                            number(3, standard.seconds_to_tune)};
    if (settings.largest_power > 34 || settings.rounds < 1) {
        std::fprintf(stderr,
                     "usage: host_peers [LARGEST_POWER_OF_2 <= 34] [ROUNDS >= 1] [SECONDS]\n");
        return 2;
    }
    try {
        run(settings);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "host_peers: %s\n", error.what());
        return 1;
    }
}
