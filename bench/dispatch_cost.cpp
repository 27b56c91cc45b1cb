// What a warm tuned_reduce costs the host beyond a bare cuLaunchKernel of the same kernel with the
// same arguments: both, and a prepared handle, in turn in one run. Needs a GPU.
//
//     dispatch_cost [N] [ROUNDS]

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backend/cuda/cuda_program.hpp"
#include "backend/cuda/driver_table.hpp"
#include "engine/plan_memo.hpp"
#include "jitune/reduce.hpp"
#include "ops/reduce_call.hpp"

namespace {

using namespace jitune;

constexpr int kCallsPerRound = 200;  // well under the launch queue's depth, so that no call waits

struct Way {
    const char* name;
    std::function<void()> call;
    std::vector<double> ns;  // per call, one for each round
};

/// Makes the compiler believe that `value` is used.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void run_round(const DriverTable& driver, CUstream stream, Way& way, bool keep) {
    driver.cuStreamSynchronize(stream);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallsPerRound; ++i) {
        way.call();
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    driver.cuStreamSynchronize(stream);
    if (keep) {
        way.ns.push_back(spent.count() / kCallsPerRound);
    }
}

void print(const std::vector<Way>& ways) {
    std::printf("%-28s %10s %10s %10s %14s\n", "", "median ns", "10 %", "90 %", "over bare ns");
    for (const Way& way : ways) {
        std::vector<double> over;
        for (std::size_t i = 0; i < way.ns.size(); ++i) {
            over.push_back(way.ns[i] - ways.front().ns[i]);
        }
        std::printf("%-28s %10.0f %10.0f %10.0f %14.0f\n", way.name, quantile(way.ns, 0.5),
                    quantile(way.ns, 0.1), quantile(way.ns, 0.9), quantile(over, 0.5));
    }
}

/// The primary context of device 0, a stream of it, n floats and room for a result.
struct Data {
    explicit Data(const DriverTable& driver, std::size_t n) {
        CUdevice device = 0;
        CUcontext context = nullptr;
        driver.cuInit(0);
        driver.cuDeviceGet(&device, 0);
        driver.cuDevicePrimaryCtxRetain(&context, device);
        driver.cuCtxPushCurrent(context);
        driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
        CUdeviceptr memory = 0;
        check(driver, driver.cuMemAlloc(&memory, n * sizeof(float) + 256), "cuMemAlloc", "start");
        driver.cuMemsetD8Async(memory, 1, n * sizeof(float), stream);
        values = reinterpret_cast<const float*>(memory);
        result = reinterpret_cast<float*>(memory + (n * sizeof(float) + 15) / 16 * 16);
    }

    CUstream stream = nullptr;
    const float* values = nullptr;
    float* result = nullptr;
};

/// The bare launches of `launch`, with their arguments made once.
std::function<void()> bare_launch(const DriverTable& driver, const CudaProgram& program,
                                  const Launch& launch, CUstream stream) {
    std::vector<std::pair<CUfunction, ArgumentPointers>> steps;
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        steps.emplace_back(reinterpret_cast<CUfunction>(program.kernel(launch.steps[i].entry)),
                           argument_pointers(launch, launch.steps[i]));
    }
    return [&driver, &launch, stream, steps]() mutable {
        for (std::size_t i = 0; i < launch.step_count; ++i) {
            const LaunchStep& step = launch.steps[i];
            driver.cuLaunchKernel(steps[i].first, step.grid.x, step.grid.y, step.grid.z,
                                  step.block.x, step.block.y, step.block.z, step.shared_bytes,
                                  stream, steps[i].second.data(), nullptr);
        }
    };
}

int run(std::size_t n, int rounds) {
    Session session;
    const auto driver = load_driver();
    const Data data(*driver, n);
    const auto prepared = prepare_reduce<float>(n, ReduceOp::sum, session);
    std::printf("float32 sum n=%zu on %s: %s (%s)\n", n, prepared.info().device_name.c_str(),
                prepared.info().configuration.c_str(), to_string(prepared.info().origin));

    const ReduceCall call = cuda_call(session.engine(), ElementType::float32, ReduceOp::sum, n);
    const Resolved& resolved = resolve(session.engine(), call, data.stream);
    const std::array sizes{call.n};
    const std::array<void*, 2> arrays{const_cast<float*>(data.values), data.result};
    const LaunchRule::Plan plan = resolved.rule.plan(sizes);
    const Launch launch =
        resolved.rule.bind(plan, arrays, call.backend.stream_scratch(data.stream, plan.scratch));
    const auto bare = bare_launch(*driver, dynamic_cast<const CudaProgram&>(*resolved.program),
                                  launch, data.stream);

    std::vector<Way> ways;
    const auto add = [&](const char* name, std::function<void()> way) {
        ways.push_back({name, std::move(way), {}});
    };
    // Parts of tuned_reduce, each in front of the bare launch.
    const auto add_part = [&](const char* name, auto part) {
        add(name, [part, &bare] {
            part();
            bare();
        });
    };
    add("bare cuLaunchKernel", bare);
    add_part("  + which device", [&] { cuda_call(session.engine(), call.type, call.op, n); });
    add_part("  + table", [&] { resolve(session.engine(), call, data.stream); });
    add_part("  + plan", [&] { keep(remembered_plan(resolved, sizes)); });
    add_part("  + capture check", [&] { call.backend.refuse_capture(data.stream, "bench"); });
    add_part("  + scratch", [&] { keep(call.backend.stream_scratch(data.stream, plan.scratch)); });
    add("tuned_reduce on a stream", [&] {
        tuned_reduce<float>(data.values, n, ReduceOp::sum, data.result, data.stream, session);
    });
    add("prepared handle", [&] { prepared(data.values, data.result, data.stream); });
    for (int round = 0; round <= rounds; ++round) {
        for (Way& way : ways) {
            run_round(*driver, data.stream, way, round > 0);
        }
    }
    print(ways);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4096,
                   argc > 2 ? std::atoi(argv[2]) : 500);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dispatch_cost: %s\n", error.what());
        return 1;
    }
}
