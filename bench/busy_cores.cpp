// SPDX-License-Identifier: Apache-2.0
// What a sum in host memory takes on one thread, on OpenMP's threads and on jitune's, while other
// threads want the cores.
//
//     busy_cores THREADS OTHERS [PAUSE_US]
//
// Sums of float32, 400 calls each, PAUSE_US (500) apart, on THREADS threads; OTHERS threads count
// meanwhile. Each result is compared with that of one thread.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "backend/host/host_threads.hpp"

#include "reduce.host.cpp"

namespace {

using Clock = std::chrono::steady_clock;
using Run = decltype(jitune_run_on_threads);

void run_on_openmp(void (*work)(const void*, jitune::Index, jitune::Index), const void* context,
                   jitune::Index count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (jitune::Index i = 0; i < count; ++i) {
        work(context, i, 1);
    }
}

float sum(const std::vector<float>& values, int threads) {
    float result = 0;
    jitune::reduce<float, float, float, jitune::Sum, jitune::Summation::pairwise, 4, 32>(
        values.data(), values.size(), threads, 16, &result);
    return result;
}

void measure(const char* name, Run run, const std::vector<float>& values, int threads,
             std::chrono::microseconds pause) {
    constexpr std::size_t kCalls = 400;
    jitune_run_on_threads = run;
    const float wanted = sum(values, 1);
    std::vector<double> us;
    while (us.size() < kCalls) {
        std::this_thread::sleep_for(pause);
        const auto start = Clock::now();
        const float got = sum(values, threads);
        us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        if (std::abs(got - wanted) > 1e-5F * wanted) {
            fmt::print(stderr, "{}: {} instead of {}\n", name, got, wanted);
            std::exit(1);
        }
    }
    std::sort(us.begin(), us.end());
    fmt::print("{:>10} {:<12} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", values.size(), name,
               us[kCalls / 2], us[kCalls * 9 / 10], us[kCalls * 99 / 100], us.back());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "busy_cores THREADS OTHERS [PAUSE_US]\n");
        return 2;
    }
    const int threads = std::atoi(argv[1]);
    const std::chrono::microseconds pause(argc > 3 ? std::atoi(argv[3]) : 500);
    std::atomic<bool> done{false};
    std::vector<std::thread> others;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        others.emplace_back([&] {
            while (!done.load(std::memory_order_relaxed)) {
            }
        });
    }
    fmt::print("{:>10} {:<12} {:>9} {:>9} {:>9} {:>9} us\n", "n", "threads", "median", "90 %",
               "99 %", "most");
    for (const std::size_t n : {1U << 16, 1U << 18, 1U << 20, 1U << 22, 1U << 24}) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i) {
            values[i] = static_cast<float>(i % 31);
        }
        measure("one", nullptr, values, 1, pause);
        measure("OpenMP", &run_on_openmp, values, threads, pause);
        measure("jitune", &jitune::internal::HostThreads::run_here, values, threads, pause);
    }
    done = true;
    for (std::thread& other : others) {
        other.join();
    }
    return 0;
}
