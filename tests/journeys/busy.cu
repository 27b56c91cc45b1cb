// SPDX-License-Identifier: Apache-2.0
// busy SECONDS PROBLEMS [PAUSE]: an app whose GPU is never idle. It launches a kernel of its own
// and reductions in turn, always ahead of the GPU. With a PAUSE, it rests for so many seconds after
// each half a second.
//
// Prints a line of JSON: microseconds of the app's own kernel and of a whole round, at the median,
// the 99th percentile, the longest and the mean, in the first and the last third of the time; the
// seconds after which nothing waited for a tuning (-1: never), and counters. Ends with 1 where a
// result is wrong, and with 3 after an Error of jitune.
#include <jitune/reduce.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOwn = std::size_t{1} << 24;
constexpr std::int64_t kMost = std::int64_t{1} << 24;
constexpr double kBurst = 0.5;
constexpr int kAhead = 4;  // rounds that are enqueued before the first of them is waited for

void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "busy: %s: %s\n", what, cudaGetErrorString(status));
        std::exit(4);
    }
}

/// The app's own work: about a tenth of a millisecond.
__global__ void own_kernel(float* data, std::size_t n) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        float value = data[i];
        for (int k = 0; k < 16; ++k) {
            value = value * 0.999F + 0.001F;
        }
        data[i] = value;
    }
}

__global__ void fill(std::int32_t* values, std::int64_t n) {
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        values[i] = 1;
    }
}

struct Round {
    cudaEvent_t begin = nullptr, own = nullptr, end = nullptr;
};

struct Sample {
    double at;  ///< seconds since the start
    double own_us, round_us;
};

double us_between(cudaEvent_t begin, cudaEvent_t end) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "read events");
    return 1e3 * static_cast<double>(ms);
}

std::string quantiles(const std::vector<Sample>& samples, double from, double to,
                      double Sample::*what) {
    std::vector<double> us;
    for (const Sample& sample : samples) {
        if (sample.at >= from && sample.at <= to) {
            us.push_back(sample.*what);
        }
    }
    if (us.empty()) {
        return "null";
    }
    std::sort(us.begin(), us.end());
    char text[128];
    std::snprintf(text, sizeof text, "[%.2f, %.2f, %.2f, %.2f]", us[us.size() / 2],
                  us[us.size() * 99 / 100], us.back(),
                  std::accumulate(us.begin(), us.end(), 0.0) / static_cast<double>(us.size()));
    return text;
}

class App {
public:
    explicit App(int problems) {
        check(cudaMalloc(&own_, kOwn * sizeof(float)), "cudaMalloc");
        check(cudaMalloc(&values_, kMost * sizeof(std::int32_t)), "cudaMalloc");
        check(cudaMalloc(&results_, 64 * sizeof(std::int32_t)), "cudaMalloc");
        check(cudaMemset(own_, 0, kOwn * sizeof(float)), "cudaMemset");
        check(cudaStreamCreate(&stream_), "create a stream");
        for (Round& round : rounds_) {
            for (cudaEvent_t* event : {&round.begin, &round.own, &round.end}) {
                check(cudaEventCreate(event), "create an event");
            }
        }
        fill<<<1024, 256, 0, stream_>>>(values_, kMost);
        for (int i = 0; i < problems; ++i) {  // more than half an octave apart
            sizes_.push_back((std::int64_t{1000} << (i % 14)) + 17 * i);
        }
    }

    void run(double seconds, double pause) {
        const Clock::time_point start = Clock::now();
        double now = 0, burst = 0;
        for (int i = 0; now < seconds; ++i) {
            Round& round = rounds_[static_cast<std::size_t>(i % kAhead)];
            if (i >= kAhead) {
                check(cudaEventSynchronize(round.end), "wait for a round");
                samples_.push_back(
                    {now, us_between(round.begin, round.own), us_between(round.begin, round.end)});
            }
            enqueue(round);
            now = std::chrono::duration<double>(Clock::now() - start).count();
            if (tuned_at_ < 0 && i % 64 == 63 &&
                jitune::Session::standard().counters().pending == 0) {
                tuned_at_ = now;
            }
            if (pause > 0 && now - burst > kBurst) {
                check(cudaStreamSynchronize(stream_), "wait for the stream");
                std::this_thread::sleep_for(std::chrono::duration<double>(pause));
                burst = now + pause;
            }
        }
        seconds_ = now;
        check(cudaStreamSynchronize(stream_), "wait for the stream");
    }

    [[nodiscard]] bool is_right() const {
        std::vector<std::int32_t> sums(sizes_.size());
        check(cudaMemcpy(sums.data(), results_, sums.size() * sizeof(std::int32_t),
                         cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        return std::equal(sums.begin(), sums.end(), sizes_.begin(), sizes_.end());
    }

    void print() const {
        const jitune::Counters counters = jitune::Session::standard().counters();
        const double third = seconds_ / 3;
        std::printf(
            "{\"rounds\": %zu, \"own_first\": %s, \"own_last\": %s, \"round_first\": %s, "
            "\"round_last\": %s, "
            "\"tuned_at\": %.1f, \"tunings\": %lld, \"replaced\": %lld, \"pending\": %lld, "
            "\"longest_pause_ms\": %.1f}\n",
            samples_.size(), quantiles(samples_, 0, third, &Sample::own_us).c_str(),
            quantiles(samples_, 2 * third, seconds_, &Sample::own_us).c_str(),
            quantiles(samples_, 0, third, &Sample::round_us).c_str(),
            quantiles(samples_, 2 * third, seconds_, &Sample::round_us).c_str(), tuned_at_,
            static_cast<long long>(counters.tunings), static_cast<long long>(counters.replaced),
            static_cast<long long>(counters.pending),
            static_cast<double>(counters.longest_pause.count()) / 1e3);
    }

private:
    void enqueue(const Round& round) const {
        check(cudaEventRecord(round.begin, stream_), "record an event");
        own_kernel<<<1024, 256, 0, stream_>>>(own_, kOwn);
        check(cudaEventRecord(round.own, stream_), "record an event");
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            jitune::tuned_reduce(static_cast<const std::int32_t*>(values_), sizes_[i], results_ + i,
                                 {}, stream_);
        }
        check(cudaEventRecord(round.end, stream_), "record an event");
    }

    float* own_ = nullptr;
    std::int32_t* values_ = nullptr;
    std::int32_t* results_ = nullptr;
    cudaStream_t stream_ = nullptr;
    std::array<Round, kAhead> rounds_;
    std::vector<std::int64_t> sizes_;
    std::vector<Sample> samples_;
    double tuned_at_ = -1, seconds_ = 0;
};

}  // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: busy SECONDS PROBLEMS [PAUSE]\n");
        return 2;
    }
    try {
        App app(std::atoi(words[2]));
        app.run(std::atof(words[1]), count > 3 ? std::atof(words[3]) : 0);
        app.print();
        return app.is_right() ? 0 : 1;
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "busy: %s\n", error.what());
        return 3;
    }
}
