// SPDX-License-Identifier: Apache-2.0
// Formulas on the host beside the same expressions by OpenMP, compiled with -O3 -march=native.
//
//     formula_host [BUDGET_S] [N...]
//
// The two take turns; each time is the median of 21 samples of at least a millisecond. Results are
// compared.

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "jitune/jitune.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(const std::function<void()>& call, int repeats) {
    const auto begin = Clock::now();
    for (int i = 0; i < repeats; ++i) {
        call();
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / repeats;
}

void compare(const std::string& name, std::size_t n, double bytes,
             const std::function<double()>& mine, const std::function<double()>& other) {
    double kept = 0;
    const auto run_mine = [&] { kept = mine(); };
    const auto run_other = [&] { kept = other(); };
    run_mine();
    const double first = kept;
    run_other();
    const bool same = std::abs(first - kept) <= 1e-3 * std::abs(kept) + 1e-3;
    const int repeats =
        std::max(1, static_cast<int>(1000 / std::max(0.05, microseconds(run_other, 3))));
    std::vector<double> mines, others;
    for (int i = 0; i < 21; ++i) {
        mines.push_back(microseconds(run_mine, repeats));
        others.push_back(microseconds(run_other, repeats));
    }
    std::sort(mines.begin(), mines.end());
    std::sort(others.begin(), others.end());
    std::printf("%-10s n=%-10zu jitune %10.2f us %6.1f GB/s | OpenMP %10.2f us (%.2f) %s\n",
                name.c_str(), n, mines[10], bytes * static_cast<double>(n) / mines[10] / 1e3,
                others[10], others[10] / mines[10], same ? "" : "DIFFERENT");
}

}  // namespace

int main(int argc, char** argv) {
    jitune::Options options;
    options.database.clear();
    options.on_miss = jitune::TunePolicy::now;
    options.budget =
        std::chrono::milliseconds(static_cast<int>((argc > 1 ? std::atof(argv[1]) : 2) * 1000));
    options.worker = "none";
    jitune::Session session(options);
    std::vector<std::size_t> sizes;
    for (int i = 2; i < argc; ++i) {
        sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
    if (sizes.empty()) {
        sizes = {1000, 30'000, 1'000'000, 30'000'000};
    }
    std::printf("%d threads\n", omp_get_max_threads());
    const jitune::MapReduce dot("r = sum(x * y)", session);
    const jitune::MapReduce moments("s = sum(x); l = min(x); m = max(x); q = sum(x * x)", session);
    const jitune::MapReduce step("x[i] = x + a * p; r[i] = r - a * q; rr = sum(r * r)", session);
    for (const std::size_t n : sizes) {
        std::vector<float> x(n), y(n), r(n, 1), q(n, 2);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = static_cast<float>(i * 2654435761u >> 8 & 0xffff) / 65536;
            y[i] = static_cast<float>(i * 2246822519u >> 8 & 0xffff) / 65536;
        }
        const auto count = static_cast<std::int64_t>(n);
        const auto* px = x.data();
        const auto* py = y.data();
        float one = 0, results[4] = {};
        const auto tuned = [&](const std::function<void()>& call) {
            call();
            while (session.counters().pending > 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
        };
        const auto run_dot = [&] { dot.on_host({{"x", px}, {"y", py}}, count, {{"r", &one}}); };
        tuned(run_dot);
        compare(
            "dot", n, 8,
            [&] {
                run_dot();
                return static_cast<double>(one);
            },
            [&] {
                float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
                for (std::int64_t i = 0; i < count; ++i) {
                    sum += px[i] * py[i];
                }
                return static_cast<double>(sum);
            });
        const auto run_moments = [&] {
            moments.on_host(
                {{"x", px}}, count,
                {{"s", results}, {"l", results + 1}, {"m", results + 2}, {"q", results + 3}});
        };
        tuned(run_moments);
        compare(
            "moments", n, 4,
            [&] {
                run_moments();
                return static_cast<double>(results[0] + results[1] + results[2] + results[3]);
            },
            [&] {
                float sum = 0, least = INFINITY, largest = -INFINITY, squares = 0;
#pragma omp parallel for simd reduction(+ : sum, squares) reduction(min : least) reduction(max : largest)
                for (std::int64_t i = 0; i < count; ++i) {
                    sum += px[i];
                    squares += px[i] * px[i];
                    least = std::min(least, px[i]);
                    largest = std::max(largest, px[i]);
                }
                return static_cast<double>(sum + squares + least + largest);
            });
        auto* mx = x.data();
        auto* mr = r.data();
        const auto* pq = q.data();
        const float a = 1e-9F;
        const auto run_step = [&] {
            step.on_host(
                {{"x", px}, {"r", static_cast<const float*>(mr)}, {"p", py}, {"q", pq}, {"a", a}},
                count, {{"x", mx}, {"r", mr}, {"rr", &one}});
        };
        tuned(run_step);
        compare(
            "step", n, 24,
            [&] {
                run_step();
                return static_cast<double>(one);
            },
            [&] {
                float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
                for (std::int64_t i = 0; i < count; ++i) {
                    mx[i] += a * py[i];
                    mr[i] -= a * pq[i];
                    sum += mr[i] * mr[i];
                }
                return static_cast<double>(sum);
            });
    }
    return 0;
}
