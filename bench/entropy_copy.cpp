// The windowed entropy beside a copy of the same bytes from device memory to device memory, which
// nothing that reads and writes them can beat: of noise, whose counts are small, of areas of one
// level, whose counts are not, and of a width that no pack of four divides.
//
//     entropy_copy [SIZE] [BUDGET_S] [WINDOW] [LEVELS]
//
// By default 10240 x 10240 float32 elements, 60 s of tuning for each problem that the database
// (JITUNE_DB) does not have, a window of 5 and 16 levels.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/driver_table.hpp"
#include "jitune/entropy.hpp"

namespace {

using namespace jitune;

constexpr int kCalls = 8;    // in one sample
constexpr int kRounds = 25;  // in each of which every lane has one sample

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) {
        throw std::runtime_error(fmt::format("{} answered {}", what, static_cast<int>(result)));
    }
}

class Bench {
public:
    Bench() : driver_(load_driver()) {
        CUdevice device = 0;
        check(driver_->cuInit(0), "cuInit");
        check(driver_->cuDeviceGet(&device, 0), "cuDeviceGet");
        check(driver_->cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
        check(driver_->cuCtxPushCurrent(context_), "cuCtxPushCurrent");
        check(driver_->cuEventCreate(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
        check(driver_->cuEventCreate(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
    }

    /// Never freed: the process ends with it.
    [[nodiscard]] float* upload(const std::vector<float>& values) const {
        CUdeviceptr memory = 0;
        const std::size_t bytes = values.size() * sizeof(float);
        check(driver_->cuMemAlloc(&memory, bytes), "cuMemAlloc");
        check(driver_->cuMemcpyHtoDAsync(memory, values.data(), bytes, nullptr), "copy");
        check(driver_->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
        return reinterpret_cast<float*>(memory);
    }

    void copy(float* to, const float* from, std::size_t count) const {
        check(driver_->cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                         reinterpret_cast<CUdeviceptr>(from), count * sizeof(float),
                                         nullptr),
              "cuMemcpyDtoDAsync");
    }

    /// Milliseconds of one call.
    [[nodiscard]] double sample(const std::function<void()>& call) const {
        check(driver_->cuEventRecordWithFlags(begin_, nullptr, CU_EVENT_RECORD_DEFAULT), "record");
        for (int i = 0; i < kCalls; ++i) {
            call();
        }
        check(driver_->cuEventRecordWithFlags(end_, nullptr, CU_EVENT_RECORD_DEFAULT), "record");
        check(driver_->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
        float elapsed = 0;
        check(driver_->cuEventElapsedTime(&elapsed, begin_, end_), "cuEventElapsedTime");
        return static_cast<double>(elapsed) / kCalls;
    }

private:
    std::shared_ptr<const DriverTable> driver_;
    CUcontext context_ = nullptr;
    CUevent begin_ = nullptr, end_ = nullptr;
};

struct Lane {
    std::string name;
    std::function<void()> call;
    std::vector<double> samples_ms = {};

    [[nodiscard]] double median() {
        std::sort(samples_ms.begin(), samples_ms.end());
        return samples_ms[samples_ms.size() / 2];
    }
};

std::vector<float> noise(std::size_t count, int levels) {
    std::mt19937 random(1);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(random() % static_cast<unsigned>(levels));
    }
    return values;
}

/// Squares of 64 x 64 elements of one level each.
std::vector<float> areas(std::size_t size, int levels) {
    std::vector<float> values(size * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t area = i / size / 64 * 7 + i % size / 64;
        values[i] = static_cast<float>(area % static_cast<std::size_t>(levels));
    }
    return values;
}

void run(std::int64_t size, const std::string& budget, const Entropy& entropy) {
    Options options = Options::from_environment();
    options.budget = parse_budget(budget);
    Session session(options);
    const Bench bench;
    const auto edge = static_cast<std::size_t>(size);
    const float* const noisy = bench.upload(noise(edge * edge, entropy.levels));
    const float* const flat = bench.upload(areas(edge, entropy.levels));
    float* const output = bench.upload(std::vector<float>(edge * edge));
    const auto call = [&](const float* input, std::int64_t columns) {
        return [&, input, columns] {
            tuned_entropy(input, size, columns, output, entropy, nullptr, session);
        };
    };
    std::vector<Lane> lanes{{"copy", [&] { bench.copy(output, noisy, edge * edge); }},
                            {"noise", call(noisy, size)},
                            {"areas of one level", call(flat, size)},
                            {"noise, one column less", call(noisy, size - 1)}};
    for (Lane& lane : lanes) {
        lane.call();  // tunes, loads, warms up
    }
    for (int round = 0; round < kRounds; ++round) {
        for (Lane& lane : lanes) {
            lane.samples_ms.push_back(bench.sample(lane.call));
        }
    }
    const double copy = lanes.front().median();
    fmt::print("{} x {} float32, window {}, {} levels\n", size, size, entropy.window,
               entropy.levels);
    for (Lane& lane : lanes) {
        fmt::print("{:<24}{:>9.4f} ms {:>6.2f} of the copy\n", lane.name, lane.median(),
                   lane.median() / copy);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto number = [&](int i, int standard) {
            return argc > i ? std::atoi(argv[i]) : standard;
        };
        run(number(1, 10240), argc > 2 ? argv[2] : "60", {number(3, 5), number(4, 16)});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "entropy_copy: {}\n", error.what());
        return 1;
    }
}
