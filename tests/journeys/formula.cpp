// SPDX-License-Identifier: Apache-2.0
// formula PLACE N SECONDS: a program that computes a formula over two arrays of N numbers, at once
// and then again and again, until nothing waits for a tuning or SECONDS are over. PLACE is host or
// cuda. Prints a line of JSON: how long the first call took, when nothing waited any more (-1:
// never), how often it called, wrong results, and counters. Ends with 1 where a result is wrong,
// and with 3 after an Error of jitune.
#include "place.hpp"

#include <jitune/map_reduce.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

namespace {

using journeys::Array;

std::vector<float> numbers(std::size_t count, std::size_t step) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>((i * step + i / 11) % 7);
    }
    return values;
}

/// Whole numbers, so that results are exact in every order. The second pass needs the first.
class Problem {
public:
    Problem(bool on_gpu, std::size_t n)
        : on_gpu_(on_gpu), x_(on_gpu, numbers(n, 3)), y_(on_gpu, numbers(n, 5)) {
        for (std::size_t i = 0; i < n; ++i) {
            const float gap = std::abs(x_.host()[i] - y_.host()[i]);
            worst_ = std::max(worst_, gap);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const float gap = std::abs(x_.host()[i] - y_.host()[i]);
            products_ += double{x_.host()[i]} * double{y_.host()[i]};
            far_ += gap == worst_ ? 1 : 0;
        }
        if (on_gpu) {
            const journeys::Gpu& gpu = journeys::Gpu::first();
            gpu_products_ = gpu.allocate<double>(1);
            gpu_worst_ = gpu.allocate<float>(1);
            gpu_far_ = gpu.allocate<std::int64_t>(1);
        }
    }

    /// Whether the results of a call are right.
    [[nodiscard]] bool call() const {
        double products = -1;
        float worst = -1;
        std::int64_t far = -1;
        if (on_gpu_) {
            formula_({{"x", x_.gpu()}, {"y", y_.gpu()}}, x_.size(),
                     {{"products", gpu_products_}, {"worst", gpu_worst_}, {"far", gpu_far_}});
            const journeys::Gpu& gpu = journeys::Gpu::first();
            gpu.to_host(&products, gpu_products_, sizeof products);
            gpu.to_host(&worst, gpu_worst_, sizeof worst);
            gpu.to_host(&far, gpu_far_, sizeof far);
        } else {
            formula_.on_host({{"x", x_.host().data()}, {"y", y_.host().data()}}, x_.size(),
                             {{"products", &products}, {"worst", &worst}, {"far", &far}});
        }
        return products == products_ && worst == worst_ && far == far_;
    }

private:
    jitune::MapReduce formula_{
        "products = sum(x * y); worst = max(abs(x - y)); far = count_nonzero(abs(x - y) == worst)"};
    bool on_gpu_;
    Array<float> x_, y_;
    double products_ = 0;
    float worst_ = 0;
    std::int64_t far_ = 0;
    double* gpu_products_ = nullptr;
    float* gpu_worst_ = nullptr;
    std::int64_t* gpu_far_ = nullptr;
};

int run(bool on_gpu, std::size_t n, double seconds) {
    const Problem problem(on_gpu, n);
    const auto start = std::chrono::steady_clock::now();
    int wrong = problem.call() ? 0 : 1;
    const double wait = journeys::seconds_since(start);
    const jitune::Session& session = jitune::Session::standard();
    double tuned = -1;
    int calls = 1;
    for (; journeys::seconds_since(start) < seconds && tuned < 0; ++calls) {
        if (session.counters().pending == 0) {
            tuned = journeys::seconds_since(start);  // the call below takes the winner
        }
        wrong += problem.call() ? 0 : 1;
        // A tuning begins on a GPU that has rested.
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    const jitune::Counters counters = session.counters();
    std::printf(
        "{\"wait\": %.4f, \"tuned\": %.2f, \"calls\": %d, \"wrong\": %d, \"compiles\": %lld, "
        "\"tunings\": %lld, \"replaced\": %lld, \"pending\": %lld, \"loads\": %lld}\n",
        wait, tuned, calls, wrong, static_cast<long long>(counters.compiles),
        static_cast<long long>(counters.tunings), static_cast<long long>(counters.replaced),
        static_cast<long long>(counters.pending), static_cast<long long>(counters.loads));
    return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    if (count < 4 || std::atoll(words[2]) < 1) {
        std::fprintf(stderr, "usage: formula PLACE N SECONDS\n");
        return 2;
    }
    try {
        return run(journeys::is_gpu(words[1]), static_cast<std::size_t>(std::atoll(words[2])),
                   std::atof(words[3]));
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "formula: %s\n", error.what());
        return 3;
    }
}
