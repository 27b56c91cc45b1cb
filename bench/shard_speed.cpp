// SPDX-License-Identifier: Apache-2.0
// Arrays on all GPUs of the host beside the same on one: wall time from before the call until all
// GPUs are done, of one call and of several in a row, in which the GPUs run ahead of the host. The
// last column is the host's part of a call in a row: until it has returned.
//
//     shard_speed [BUDGET_S] [ROUNDS]
//
// By default 5 s of tuning for each problem that the database (JITUNE_DB) does not have, and 60
// rounds, in each of which one GPU and all have one sample. Data is noise.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/driver/driver_table.hpp"
#include "jitune/shards.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;

constexpr int kCalls = 16;  // in a row

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) {
        throw std::runtime_error(fmt::format("{} answered {}", what, static_cast<int>(result)));
    }
}

/// One GPU with a stream in its primary context. Its memory is never freed: the process ends with
/// it.
class Gpu {
public:
    Gpu(const DriverTable& driver, int ordinal) : driver_(driver) {
        CUdevice device = 0;
        check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
        check(driver.cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
        enter([&] { check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "stream"); });
    }

    [[nodiscard]] CUstream stream() const { return stream_; }

    [[nodiscard]] float* allocate(std::size_t count) const {
        CUdeviceptr memory = 0;
        enter([&] { check(driver_.cuMemAlloc(&memory, count * sizeof(float)), "cuMemAlloc"); });
        return reinterpret_cast<float*>(memory);
    }

    [[nodiscard]] float* upload(const float* values, std::size_t count) const {
        float* const memory = allocate(count);
        enter([&] {
            check(driver_.cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(memory), values,
                                            count * sizeof(float), stream_),
                  "cuMemcpyHtoDAsync");
        });
        wait();
        return memory;
    }

    void wait() const {
        enter([&] { check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); });
    }

private:
    void enter(const std::function<void()>& act) const {
        check(driver_.cuCtxPushCurrent(context_), "cuCtxPushCurrent");
        act();
        CUcontext popped = nullptr;
        check(driver_.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
    }

    const DriverTable& driver_;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
};

std::vector<float> noise(std::size_t count, unsigned levels) {
    std::mt19937 random(1);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(random() % levels);
    }
    return values;
}

/// Some GPUs, with an array of `units` times `columns` values in even shards and room for as many
/// outputs.
struct Placed {
    Placed(const std::vector<Gpu>& its_gpus, std::size_t count, const std::vector<float>& values,
           std::int64_t units, std::int64_t columns)
        : gpus(its_gpus.begin(), its_gpus.begin() + static_cast<std::ptrdiff_t>(count)) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto parts = static_cast<std::int64_t>(count);
            const std::int64_t end = units * (static_cast<std::int64_t>(i) + 1) / parts;
            const auto size = static_cast<std::size_t>((end - first) * columns);
            shards.push_back({gpus[i].upload(values.data() + first * columns, size), end - first,
                              gpus[i].stream()});
            outputs.push_back(gpus[i].allocate(size));
            first = end;
        }
    }
    void wait() const {
        for (const Gpu& gpu : gpus) {
            gpu.wait();
        }
    }
    std::vector<Gpu> gpus;
    std::vector<Shard<float>> shards;
    std::vector<float*> outputs;
};

class Comparison {
public:
    Comparison(const DriverTable& driver, int rounds) : rounds_(rounds) {
        int count = 0;
        check(driver.cuInit(0), "cuInit");
        check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
        for (int i = 0; i < count; ++i) {
            gpus_.emplace_back(driver, i);
        }
        fmt::print("{:<24} {:>11} {:>11} {:>7} {:>11} {:>11} {:>7} {:>7}\n", "us", "1 GPU",
                   fmt::format("{} GPUs", count), "ratio", "1, in a row",
                   fmt::format("{}, in a row", count), "ratio", "host");
    }

    /// `single` is the call on one GPU's memory, `several` that on shards.
    template <class Single, class Several>
    void run(const char* name, std::int64_t units, std::int64_t columns, const Single& single,
             const Several& several) {
        const auto values = noise(static_cast<std::size_t>(units * columns), 16);
        const Placed one(gpus_, 1, values, units, columns);
        const Placed all(gpus_, gpus_.size(), values, units, columns);
        const auto alone = [&] { single(one.shards[0], one.outputs[0]); };
        const auto together = [&] { several(all.shards, all.outputs); };
        constexpr std::size_t kColumns = 5;
        std::vector<double> samples[kColumns];
        for (int round = -3; round < rounds_; ++round) {  // the first tune, load and warm up
            const Time row = sample(all, together, kCalls);
            const double times[] = {sample(one, alone, 1).whole, sample(all, together, 1).whole,
                                    sample(one, alone, kCalls).whole, row.whole, row.host};
            for (std::size_t i = 0; round >= 0 && i < kColumns; ++i) {
                samples[i].push_back(times[i]);
            }
        }
        double medians[kColumns];
        for (std::size_t i = 0; i < kColumns; ++i) {
            std::sort(samples[i].begin(), samples[i].end());
            medians[i] = samples[i][samples[i].size() / 2];
        }
        fmt::print("{:<24} {:>11.1f} {:>11.1f} {:>7.2f} {:>11.1f} {:>11.1f} {:>7.2f} {:>7.1f}\n",
                   name, medians[0], medians[1], medians[0] / medians[1], medians[2], medians[3],
                   medians[2] / medians[3], medians[4]);
        std::fflush(stdout);
    }

private:
    /// Microseconds of one of several calls: until all GPUs are done, and until it has returned.
    struct Time {
        double whole, host;
    };

    static Time sample(const Placed& placed, const std::function<void()>& call, int calls) {
        placed.wait();
        const auto start = std::chrono::steady_clock::now();
        const auto passed = [&] {
            const std::chrono::duration<double, std::micro> time =
                std::chrono::steady_clock::now() - start;
            return time.count() / calls;
        };
        for (int i = 0; i < calls; ++i) {
            call();
        }
        const double host = passed();
        placed.wait();
        return {passed(), host};
    }

    std::vector<Gpu> gpus_;
    int rounds_;
};

void run(const std::string& budget, int rounds) {
    const auto driver = load_driver();
    Options options = Options::from_environment();
    options.budget = parse_budget(budget);
    Session session(options);
    Comparison comparison(*driver, rounds);
    // Half of the first one's rows tell what halves alone would take.
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{10240, 10240}, {5120, 10240}, {400, 400}}) {
        comparison.run(
            fmt::format("entropy {} x {}", rows, columns).c_str(), rows, columns,
            [&, rows = rows, columns = columns](const Shard<float>& shard, float* output) {
                tuned_entropy(shard.data, rows, columns, output, {}, shard.stream, session);
            },
            [&, columns = columns](const auto& shards, const auto& outputs) {
                tuned_entropy(shards, columns, outputs, {}, ShardOutput::own, session);
            });
    }
    const Stencil stencil{.radius = 8, .boundary = Boundary::clamp};
    comparison.run(
        "stencil 2^27, radius 8", std::int64_t{1} << 27, 1,
        [&](const Shard<float>& shard, float* output) {
            tuned_stencil(shard.data, shard.count, output, stencil, shard.stream, session);
        },
        [&](const auto& shards, const auto& outputs) {
            tuned_stencil(shards, outputs, stencil, ShardOutput::own, session);
        });
    comparison.run(
        "float32 sum 2^28", std::int64_t{1} << 28, 1,
        [&](const Shard<float>& shard, float*) {
            static_cast<void>(
                tuned_reduce(shard.data, shard.count, ReduceOp::sum, nullptr, session));
        },
        [&](const auto& shards, const auto&) {
            static_cast<void>(tuned_reduce(shards, ReduceOp::sum, session));
        });
    comparison.run(
        "the same, on every GPU", std::int64_t{1} << 28, 1,
        [&](const Shard<float>& shard, float* output) {
            tuned_reduce(shard.data, shard.count, output, ReduceOp::sum, shard.stream, session);
        },
        [&](const auto& shards, const auto& outputs) {
            tuned_reduce(shards, outputs, ReduceOp::sum, session);
        });
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc > 1 ? argv[1] : "5", argc > 2 ? std::atoi(argv[2]) : 60);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "shard_speed: {}\n", error.what());
        return 1;
    }
}
