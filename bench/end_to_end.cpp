// SPDX-License-Identifier: Apache-2.0
// The windowed entropy of pageable host memory, end to end: the plain form (fresh device memory,
// the array up, one kernel, the result down), the tuned placement (Options::device = "auto"), and
// the best placement on the host alone, on one GPU and on all of them.
//
//     end_to_end [SIZES] [BUDGET_S] [WINDOW] [LEVELS]
//
// By default 400,2560,10240 squared float32 elements, 30 s of tuning for each placement, and
// JITUNE_BUDGET for each kernel that the database (JITUNE_DB) does not have, a window of 5 and 16
// levels.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/driver/driver_table.hpp"
#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "jitune/entropy.hpp"
#include "spread/machine.hpp"

namespace {

using namespace jitune;
using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

std::vector<float> noise(std::size_t count, int levels) {
    std::mt19937 random(1);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(random() % static_cast<unsigned>(levels));
    }
    return values;
}

/// Each form, all in turn, round by round.
class Forms {
public:
    void add(std::string name, std::function<void()> call) {
        for (int i = 0; i < 3; ++i) {
            call();  // tunes, allocates, warms up
        }
        forms_.push_back({std::move(name), std::move(call), {}});
    }

    void run(const std::string& title, int rounds) {
        for (int round = 0; round < rounds; ++round) {
            for (Form& form : forms_) {
                const auto begin = Clock::now();
                form.call();
                form.ms.push_back(
                    std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
            }
        }
        fmt::print("{:<34} {:>9} {:>9} {:>9} {:>8}\n", title, "ms", "quarter", "3/4", "x plain");
        double plain = 0;
        for (Form& form : forms_) {
            std::sort(form.ms.begin(), form.ms.end());
            const auto at = [&](std::size_t quarter) {
                return form.ms[std::min(form.ms.size() * quarter / 4, form.ms.size() - 1)];
            };
            plain = plain == 0 ? at(2) : plain;
            fmt::print("  {:<32} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.2f}\n", form.name, at(2), at(1),
                       at(3), plain / at(2));
        }
        std::fflush(stdout);
    }

private:
    struct Form {
        std::string name;
        std::function<void()> call;
        std::vector<double> ms;
    };
    std::vector<Form> forms_;
};

/// What a program does that knows of nothing better, with jitune's kernel.
class PlainForm {
public:
    PlainForm(Engine& engine, const detail::EntropyRequest& request)
        : driver_(load_driver()), device_(engine.device("cuda")), request_(request) {
        const Resolved& resolved = resolve_entropy(engine, device_, request);
        program_ = resolved.program;
        program_->prepare(resolved.rule.bind(resolved.rule.plan(sizes_of(request)), Scratch{}),
                          launch_);
        CUdevice device = 0;
        CUcontext context = nullptr;
        check(driver_->cuDeviceGet(&device, 0));
        check(driver_->cuDevicePrimaryCtxRetain(&context, device));
        check(driver_->cuCtxPushCurrent(context));
    }

    void operator()(const float* input, float* output) const {
        const std::size_t bytes =
            static_cast<std::size_t>(request_.rows * request_.columns) * sizeof(float);
        CUdeviceptr from = 0, to = 0;
        check(driver_->cuMemAlloc(&from, bytes));
        check(driver_->cuMemAlloc(&to, bytes));
        check(driver_->cuMemcpyHtoDAsync(from, input, bytes, nullptr));
        const auto scale = std::bit_cast<std::uint64_t>(1.0);
        void* const arrays[] = {reinterpret_cast<void*>(from), reinterpret_cast<void*>(scale),
                                reinterpret_cast<void*>(to)};
        (*launch_)(arrays, nullptr);
        check(driver_->cuMemcpyDtoHAsync(output, to, bytes, nullptr));
        check(driver_->cuStreamSynchronize(nullptr));
        check(driver_->cuMemFree(from));
        check(driver_->cuMemFree(to));
    }

private:
    static void check(CUresult result) {
        if (result != CUDA_SUCCESS) {
            throw std::runtime_error(fmt::format("CUDA answered {}", static_cast<int>(result)));
        }
    }
    std::shared_ptr<const DriverTable> driver_;
    Device& device_;
    detail::EntropyRequest request_;
    std::shared_ptr<const Program> program_;
    std::unique_ptr<ReadyLaunch> launch_;
};

/// The fastest measured placement that `wanted` takes; empty where there is none.
std::string best_of(Engine& engine, const RecordKey& key,
                    const std::function<bool(const std::string&)>& wanted) {
    std::string best;
    double best_ns = 0;
    for (const Measurement& one : engine.store()->measurements().of(key)) {
        if (one.verdict != Verdict::timed || !wanted(one.configuration)) {
            continue;
        }
        std::vector<double> samples = one.samples_ns;
        std::sort(samples.begin(), samples.end());
        const double ns = samples[samples.size() / 2];
        if (best.empty() || ns < best_ns) {
            best = one.configuration;
            best_ns = ns;
        }
    }
    return best;
}

void run(Session& session, std::int64_t size, const Entropy& entropy,
         std::chrono::milliseconds budget) {
    Engine& engine = SessionAccess::engine(session);
    const detail::EntropyRequest request{ElementType::float32, size, size, entropy};
    Machine& machine = Machine::of(engine);
    Device& device = machine.device();
    const Kernel& kernel = machine.kernel("entropy");
    const Task task{device, kernel, entropy_problem(request)};
    engine.tuner().tune(task, {.strategy = engine.options().strategy, .budget = budget});
    const auto count = static_cast<std::size_t>(size * size);
    const std::vector<float> input = noise(count, entropy.levels);
    std::vector<float> output(count);
    Forms forms;
    const PlainForm plain(engine, request);
    forms.add("plain: up, kernel, down", [&] { plain(input.data(), output.data()); });
    forms.add("tuned placement",
              [&] { tuned_entropy(input, size, size, output, entropy, session); });
    forms.add("tuned placement, fresh vector",
              [&] { static_cast<void>(tuned_entropy(input, size, size, entropy, session)); });

    const Resolved& tuned = resolve_entropy(engine, device, request);
    const RecordKey key = task.key();
    const auto pin = [&](const std::string& name, const std::string& configuration) {
        if (configuration.empty()) {
            return;
        }
        const Configuration parsed = task.parse(configuration);
        const Instance instance = task.instance(parsed);
        const auto program = device.load(
            std::get<Binary>(device.compile(kernel.kernel_template.source(), {&instance, 1})[0]));
        const LaunchRule rule = task.launch_rule(parsed);
        auto launch = std::make_shared<std::unique_ptr<ReadyLaunch>>();
        program->prepare(rule.bind(rule.plan(sizes_of(request)), Scratch{}), *launch);
        forms.add(name, [&input, &output, program, launch] {
            void* const arrays[] = {const_cast<float*>(input.data()),
                                    reinterpret_cast<void*>(std::bit_cast<std::uint64_t>(1.0)),
                                    output.data()};
            (**launch)(arrays, nullptr);
        });
        fmt::print("  {}: {}\n", name, configuration);
    };
    fmt::print("\n{0} x {0}: the winner is {1}\n", size, tuned.info.configuration);
    const auto has = [](const std::string& text, const std::string& word) {
        return (" " + text + " ").find(" " + word + " ") != std::string::npos;
    };
    pin("host", best_of(engine, key, [&](const auto& c) { return has(c, "processors=host"); }));
    pin("one GPU", best_of(engine, key, [&](const auto& c) {
            return has(c, "processors=gpus") && has(c, "gpus=1");
        }));
    if (machine.gpus().size() > 1) {
        const std::string all = fmt::format("gpus={}", machine.gpus().size());
        pin("all GPUs", best_of(engine, key, [&](const auto& c) { return has(c, all); }));
    }
    forms.run(fmt::format("{0} x {0}, {1} levels", size, entropy.levels), size > 5000 ? 21 : 101);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        Options options = Options::from_environment();
        options.device = "auto";
        const auto budget = parse_budget(argc > 2 ? argv[2] : "30");
        Session session(options);
        if (SessionAccess::engine(session).store() == nullptr) {
            throw std::runtime_error("needs a database: set JITUNE_DB");
        }
        std::istringstream sizes(argc > 1 ? argv[1] : "400,2560,10240");
        for (std::string size; std::getline(sizes, size, ',');) {
            run(session, std::atoll(size.c_str()),
                {argc > 3 ? std::atoi(argv[3]) : 5, argc > 4 ? std::atoi(argv[4]) : 16}, budget);
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "end_to_end: {}\n", error.what());
        return 1;
    }
}
