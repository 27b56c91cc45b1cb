// The stencil beside a copy of the same bytes from device memory to device memory, which nothing
// that reads and writes them can beat.
//
//     stencil_copy [N] [BUDGET_S] [RADIUS...]
//
// By default 2^27 float32 elements, 60 s of tuning for each problem that the database (JITUNE_DB)
// does not have, and radii 1, 8 and 25.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/driver_table.hpp"
#include "jitune/stencil.hpp"

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
    explicit Bench(std::size_t bytes) : driver_(load_driver()), bytes_(bytes) {
        CUdevice device = 0;
        check(driver_->cuInit(0), "cuInit");
        check(driver_->cuDeviceGet(&device, 0), "cuDeviceGet");
        check(driver_->cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
        check(driver_->cuCtxPushCurrent(context_), "cuCtxPushCurrent");
        check(driver_->cuMemAlloc(&from_, bytes), "cuMemAlloc");
        check(driver_->cuMemAlloc(&to_, bytes), "cuMemAlloc");
        check(driver_->cuMemsetD8Async(from_, 0, bytes, nullptr), "cuMemsetD8Async");
        check(driver_->cuEventCreate(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
        check(driver_->cuEventCreate(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
    }

    [[nodiscard]] const float* from() const { return reinterpret_cast<const float*>(from_); }
    [[nodiscard]] float* to() const { return reinterpret_cast<float*>(to_); }

    void copy() const {
        check(driver_->cuMemcpyDtoDAsync(to_, from_, bytes_, nullptr), "cuMemcpyDtoDAsync");
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
    std::size_t bytes_;
    CUcontext context_ = nullptr;
    CUdeviceptr from_ = 0, to_ = 0;
    CUevent begin_ = nullptr, end_ = nullptr;
};

struct Lane {
    std::string name;
    std::function<void()> call;
    std::vector<double> samples_ms;

    [[nodiscard]] double median() {
        std::sort(samples_ms.begin(), samples_ms.end());
        return samples_ms[samples_ms.size() / 2];
    }
};

void run(std::int64_t n, const std::string& budget, const std::vector<int>& radii) {
    Options options = Options::from_environment();
    options.budget = parse_budget(budget);
    Session session(options);
    const Bench bench(static_cast<std::size_t>(n) * sizeof(float));
    std::vector<std::vector<double>> weights;
    for (const int radius : radii) {
        weights.emplace_back(static_cast<std::size_t>(2 * radius + 1), 1.0 / (2 * radius + 1));
    }
    std::vector<Lane> lanes{{"copy", [&] { bench.copy(); }, {}}};
    for (std::size_t i = 0; i < radii.size(); ++i) {
        for (const bool weighted : {false, true}) {
            Stencil stencil{.radius = radii[i]};
            if (weighted) {
                stencil.weights = weights[i];
            }
            lanes.push_back({fmt::format("k={} {}", radii[i], weighted ? "weights" : "sum"),
                             [&bench, &session, n, stencil] {
                                 tuned_stencil(bench.from(), n, bench.to(), stencil, nullptr,
                                               session);
                             },
                             {}});
        }
    }
    for (Lane& lane : lanes) {
        lane.call();  // tunes, loads, warms up
    }
    for (int round = 0; round < kRounds; ++round) {
        for (Lane& lane : lanes) {
            lane.samples_ms.push_back(bench.sample(lane.call));
        }
    }
    const double copy = lanes.front().median();
    fmt::print("{:<14} {:>9} {:>14}\n", "float32", "ms", "of copy speed");
    for (Lane& lane : lanes) {
        fmt::print("{:<14} {:>9.4f} {:>12.1f} %\n", lane.name, lane.median(),
                   100 * copy / lane.median());
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : std::int64_t{1} << 27;
        std::vector<int> radii;
        for (int i = 3; i < argc; ++i) {
            radii.push_back(std::atoi(argv[i]));
        }
        run(n, argc > 2 ? argv[2] : "60", radii.empty() ? std::vector{1, 8, 25} : radii);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "stencil_copy: {}\n", error.what());
        return 1;
    }
}
