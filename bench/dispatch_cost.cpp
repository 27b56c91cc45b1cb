// SPDX-License-Identifier: Apache-2.0
// What jitune costs the host, beside the driver alone. Needs a GPU.
//
//     dispatch_cost [N] [ROUNDS]    a warm tuned_reduce and a prepared handle, over a bare
//                                   cuLaunchKernelEx of the same kernel with the same arguments
//     dispatch_cost first [N]       the first call of a process, over the context it works in;
//                                   tunes before where the database has no winner

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_call.hpp"
#include "jitune/reduce.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kUsualN = 4096;
constexpr int kRepeats = 10;
constexpr int kCallsPerRound = 200;  // well under the launch queue's depth, so that no call waits

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

double nanoseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// The primary context of device 0, current, with a stream.
struct App {
    App() : driver(load_driver()) {
        CUdevice device = 0;
        CUcontext context = nullptr;
        check(*driver, driver->cuInit(0), "cuInit", "start");
        check(*driver, driver->cuDeviceGet(&device, 0), "cuDeviceGet", "start");
        check(*driver, driver->cuDevicePrimaryCtxRetain(&context, device),
              "cuDevicePrimaryCtxRetain", "start");
        check(*driver, driver->cuCtxPushCurrent(context), "cuCtxPushCurrent", "start");
        check(*driver, driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
              "start");
    }

    std::shared_ptr<const DriverTable> driver;
    CUstream stream = nullptr;
};

/// n floats and room for a result.
struct Data {
    Data(const App& app, std::size_t n) {
        CUdeviceptr memory = 0;
        const std::size_t bytes = (n * sizeof(float) + 15) / 16 * 16;
        check(*app.driver, app.driver->cuMemAlloc(&memory, bytes + 16), "cuMemAlloc", "start");
        app.driver->cuMemsetD8Async(memory, 1, bytes, app.stream);
        app.driver->cuStreamSynchronize(app.stream);
        values = reinterpret_cast<const float*>(memory);
        result = reinterpret_cast<float*>(memory + bytes);
    }

    const float* values = nullptr;
    float* result = nullptr;
};

struct Way {
    const char* name;
    std::function<void()> call;
    std::vector<double> ns;       // per call, one for each round
    std::vector<double> medians;  // over the first way, one for each repeat
};

void run_round(const App& app, Way& way) {
    app.driver->cuStreamSynchronize(app.stream);
    const auto begin = Clock::now();
    for (int i = 0; i < kCallsPerRound; ++i) {
        way.call();
    }
    way.ns.push_back(nanoseconds_since(begin) / kCallsPerRound);
}

/// One repeat: the ways take turns, each round with another first.
void run_repeat(const App& app, std::vector<Way>& ways, int rounds) {
    for (Way& way : ways) {
        way.ns.clear();
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            run_round(app, ways[(i + static_cast<std::size_t>(round)) % ways.size()]);
        }
    }
    for (Way& way : ways) {
        std::vector<double> over;
        for (std::size_t i = 0; i < way.ns.size(); ++i) {
            over.push_back(way.ns[i] - ways.front().ns[i]);
        }
        way.medians.push_back(quantile(over, 0.5));
    }
}

void print(const std::vector<Way>& ways) {
    std::printf("%-28s %10s %14s %10s %10s\n", "", "ns a call", "over bare ns", "least", "most");
    for (const Way& way : ways) {
        std::printf("%-28s %10.0f %14.0f %10.0f %10.0f\n", way.name, quantile(way.ns, 0.5),
                    quantile(way.medians, 0.5), quantile(way.medians, 0), quantile(way.medians, 1));
    }
}

/// The launches of `launch` as an app would write them by hand: everything made before.
class BareLaunch {
public:
    BareLaunch(const App& app, const CudaProgram& program, const Launch& launch)
        : launch_(app.driver->cuLaunchKernelEx), cells_(launch.cells), steps_(launch.step_count) {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            make(steps_[i], launch.steps[i], app.stream);
            steps_[i].kernel = reinterpret_cast<CUfunction>(program.kernel(launch.steps[i].entry));
        }
    }

    void operator()() {
        for (Step& step : steps_) {
            launch_(&step.config, step.kernel, step.arguments.data(), nullptr);
        }
    }

private:
    struct Step {
        CUfunction kernel;
        CUlaunchConfig config;
        std::array<void*, kMaxArguments> arguments;
        std::array<CUlaunchAttribute, 2> attributes;
    };

    void make(Step& step, const LaunchStep& from, CUstream stream) {
        step.config = {from.grid.x,  from.grid.y,       from.grid.z, from.block.x, from.block.y,
                       from.block.z, from.shared_bytes, stream,      nullptr,      0};
        step.config.attrs = step.attributes.data();
        if (from.cluster > 1) {
            CUlaunchAttribute& attribute = step.attributes[step.config.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = {from.cluster, 1, 1};
        }
        if (from.programmatic != 0) {
            CUlaunchAttribute& attribute = step.attributes[step.config.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
        }
        for (std::size_t i = 0; i < from.argument_count; ++i) {
            step.arguments[i] = &cells_[from.arguments[i]];
        }
    }

    decltype(&::cuLaunchKernelEx) launch_;
    Cells cells_;
    std::vector<Step> steps_;
};

/// What any call that keeps work memory for each stream has to ask the driver.
void ask_stream(const App& app) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    unsigned long long id = 0;
    app.driver->cuStreamIsCapturing(app.stream, &status);
    app.driver->cuStreamGetId(app.stream, &id);
}

int compare_warm(std::size_t n, int rounds) {
    const App app;
    const Data data(app, n);
    Session session;
    const auto prepared = prepare_reduce<float>(n, ReduceOp::sum, {}, session);
    std::printf("float32 sum n=%zu on %s: %s (%s)\n", n, prepared.info().device_name.c_str(),
                prepared.info().configuration.c_str(), to_string(prepared.info().origin));
    const auto warm = [&] {
        tuned_reduce<float>(data.values, n, data.result, ReduceOp::sum, app.stream, session);
    };
    warm();

    StreamSite& site = SessionAccess::engine(session).cuda().site(app.stream);
    const auto request = detail::request<float, float>(ReduceOp::sum, detail::ReduceShape::all(n));
    const Resolved& resolved =
        resolve_reduce(SessionAccess::engine(session), site.device(), request);
    const LaunchRule::Plan plan = resolved.rule.plan(ReduceSizes(request.shape).span());
    const ReduceArrays arrays({data.values, nullptr, data.result});
    BareLaunch bare(app, dynamic_cast<const CudaProgram&>(*resolved.program),
                    resolved.rule.bind(plan, arrays.span(), site.scratch(plan.scratch)));
    std::vector<Way> ways{
        {"bare cuLaunchKernelEx", [&] { bare(); }, {}, {}},
        {"the same again", [&] { bare(); }, {}, {}},
        {"bare, asks the stream", [&] { ask_stream(app), bare(); }, {}, {}},
        {"tuned_reduce on a stream", warm, {}, {}},
        {"prepared handle", [&] { prepared(data.values, data.result, app.stream); }, {}, {}},
    };
    run_repeat(app, ways, 1);  // warms up
    for (Way& way : ways) {
        way.medians.clear();
    }
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        run_repeat(app, ways, rounds);
    }
    print(ways);
    return 0;
}

/// In a fresh process: "<context ns> <first call ns> <compiles> <tunings>".
int time_first_call(std::size_t n) {
    auto begin = Clock::now();
    const App app;
    const double context = nanoseconds_since(begin);
    const Data data(app, n);
    begin = Clock::now();
    tuned_reduce<float>(data.values, n, data.result, ReduceOp::sum, app.stream);
    const double call = nanoseconds_since(begin);
    app.driver->cuStreamSynchronize(app.stream);
    const Counters counters = Session::standard().counters();
    std::printf("%.0f %.0f %lld %lld\n", context, call, static_cast<long long>(counters.compiles),
                static_cast<long long>(counters.tunings));
    return 0;
}

struct FirstCall {
    double context = 0, call = 0;
    long long compiles = 0, tunings = 0;
};

/// What this program says when it is run anew.
FirstCall run_first_call(const std::string& n) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
        throw Error(ErrorKind::unavailable, "run a fresh process: pipe failed");
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::execl("/proc/self/exe", "dispatch_cost", "first-child", n.c_str(),
                static_cast<char*>(nullptr));
        ::_exit(127);
    }
    ::close(ends[1]);
    FirstCall result;
    FILE* const output = ::fdopen(ends[0], "r");
    const int read = std::fscanf(output, "%lf %lf %lld %lld", &result.context, &result.call,
                                 &result.compiles, &result.tunings);
    std::fclose(output);
    ::waitpid(child, nullptr, 0);
    if (read != 4) {
        throw Error(ErrorKind::unavailable, "run a fresh process: it gave no times");
    }
    return result;
}

int compare_first(const std::string& n) {
    std::vector<double> contexts;
    std::vector<double> calls;
    run_first_call(n);  // tunes if nothing is stored
    for (int i = 0; i < kRepeats; ++i) {
        const FirstCall one = run_first_call(n);
        if (one.compiles != 0 || one.tunings != 0) {
            throw Error(ErrorKind::unavailable,
                        "a fresh process compiled again: is there a database, JITUNE_DB?");
        }
        contexts.push_back(one.context * 1e-6);
        calls.push_back(one.call * 1e-6);
    }
    const auto row = [](const char* name, const std::vector<double>& ms) {
        std::printf("%-44s %9.2f %9.2f %9.2f\n", name, quantile(ms, 0.5), quantile(ms, 0),
                    quantile(ms, 1));
    };
    std::printf("%-44s %9s %9s %9s\n", "in a fresh process, ms", "median", "least", "most");
    row("driver, context and stream", contexts);
    row("first tuned_reduce after that", calls);
    return 0;
}

std::size_t number(const char* text) {
    return static_cast<std::size_t>(std::strtoull(text, nullptr, 10));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    const char* const rest = argc > 2 ? argv[2] : "4096";
    try {
        if (word == "first-child") {
            return time_first_call(number(rest));
        }
        if (word == "first") {
            return compare_first(rest);
        }
        return compare_warm(argc > 1 ? number(argv[1]) : kUsualN, argc > 2 ? std::atoi(rest) : 100);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dispatch_cost: %s\n", error.what());
        return 1;
    }
}
