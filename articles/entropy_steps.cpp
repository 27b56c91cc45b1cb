// SPDX-License-Identifier: Apache-2.0
#include "articles/entropy_steps.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <new>
#include <vector>

#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/entropy/entropy_workload.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "placement/machine.hpp"
#include "template/template_headers.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

namespace {

constexpr PlatformKind kCuda = PlatformKind::cuda;
constexpr PlatformKind kHost = PlatformKind::host;

constexpr std::array kSteps{
    EntropyStep{"v0", "baseline: logarithms computed", kCuda},
    EntropyStep{"v1", "logarithms in registers", kCuda},
    EntropyStep{"v2", "logarithms in shared memory", kCuda},
    EntropyStep{"v3", "logarithms in constant memory", kCuda},
    EntropyStep{"v4", "logarithms in global memory", kCuda},
    EntropyStep{"v5", "v4 by the texture cache", kCuda},
    EntropyStep{"v6", "v1 with counters of 8 bits", kCuda},
    EntropyStep{"v7", "v6 with a table of float", kCuda},
    EntropyStep{"v8", "v7, input by the texture cache", kCuda},
    EntropyStep{"v9", "v7, input in shared tiles", kCuda},
    EntropyStep{"v10", "baseline: logarithms computed", kHost},
    EntropyStep{"v11", "a table of logarithms", kHost},
    EntropyStep{"v12", "v11 with a table of float", kHost},
    EntropyStep{"v13", "v12 with 2-D prefix sums", kHost},
};

Kernel load_kernel(std::string_view file) {
    return {KernelTemplate(embedded_template(embedded::articles, file)),
            std::make_unique<EntropyWorkload>()};
}

/// What `measure` makes of a time; what does not compile, is wrong or needs too much memory is an
/// outcome like others.
EntropyTime attempt(const std::function<void(EntropyTime&)>& measure) {
    EntropyTime time;
    try {
        measure(time);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable && error.kind() != ErrorKind::verify &&
            error.kind() != ErrorKind::compile) {
            throw;
        }
        const bool lacks = error.kind() == ErrorKind::unavailable;
        time.outcome = lacks ? EntropyTime::Outcome::skipped : EntropyTime::Outcome::failed;
        time.note = error.what();
    } catch (const std::bad_alloc&) {
        time.outcome = EntropyTime::Outcome::skipped;
        time.note = "not enough memory";
    }
    return time;
}

/// The median of copying an array there and its entropies back, from and to pageable memory.
double copies_ns(Device& device, std::int64_t size) {
    constexpr int kSamples = 5;
    if (device.info().platform == kHost) {
        return 0;
    }
    const auto bench = device.make_bench();
    std::vector<std::byte> array(static_cast<std::size_t>(size * size) * sizeof(float));
    const auto input = bench->allocate(array.size());
    const auto output = bench->allocate(array.size());
    bench->fill(output->data(), std::byte{0}, output->bytes());
    std::vector<double> samples;
    for (int i = 0; i < kSamples; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        bench->upload(input->data(), array);
        bench->download(array, output->data());
        samples.push_back(
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                .count());
    }
    return summarize(samples).median_ns;
}

}  // namespace

std::span<const EntropyStep> entropy_steps() {
    return kSteps;
}

const Kernel& entropy_step_kernel(PlatformKind platform) {
    static const std::map<PlatformKind, Kernel> kernels = [] {
        std::map<PlatformKind, Kernel> made;
        made.emplace(kCuda, load_kernel("entropy_article.cu"));
        made.emplace(kHost, load_kernel("entropy_article.host.cpp"));
        return made;
    }();
    return kernels.at(platform);
}

Problem entropy_step_problem(const EntropyStep& step, std::int64_t size) {
    Problem problem = entropy_problem({ElementType::float32, size, size, {}});
    problem.kernel = entropy_step_kernel(step.platform).kernel_template.front_matter().kernel;
    problem.types["step"] = step.name;
    return problem;
}

EntropyTime run_entropy_step(Engine& engine, Device& device, const EntropyStep& step,
                             std::int64_t size, const std::atomic<bool>& stop) {
    return attempt([&](EntropyTime& time) {
        const Kernel& kernel = entropy_step_kernel(step.platform);
        // One evaluation: the default comes first.
        const SearchPlan plan{.strategy = "exhaustive", .max_evaluations = 1};
        BinaryCache binaries;
        const Winner winner = tune({device, kernel, entropy_step_problem(step, size)}, plan,
                                   {.stop = &stop}, binaries, engine.log())
                                  .winner;
        time.configuration = winner.configuration;
        time.kernel_ns = winner.median_ns;
        time.copies_ns = copies_ns(device, size);
    });
}

namespace {

/// The winner of the default problem on a device, which is stored.
Winner tune_own(Engine& engine, Device& device, std::int64_t size, const std::atomic<bool>& stop) {
    const Options& options = engine.options();
    return engine
        .tune_and_store(
            {device, entropy_kernel_on(device),
             entropy_problem({ElementType::float32, size, size, {}})},
            {.strategy = options.strategy, .seed = options.seed, .budget = options.budget},
            {.stop = &stop})
        .winner;
}

}  // namespace

EntropyTime run_own_entropy(Engine& engine, Device& device, std::int64_t size,
                            const std::atomic<bool>& stop) {
    return attempt([&](EntropyTime& time) {
        const Winner winner = tune_own(engine, device, size, stop);
        time.configuration = winner.configuration;
        time.kernel_ns = winner.median_ns;
        time.copies_ns = copies_ns(device, size);
    });
}

EntropyTime run_placed_entropy_step(Engine& engine, std::int64_t size,
                                    const std::atomic<bool>& stop) {
    return attempt([&](EntropyTime& time) {
        const Winner winner = tune_own(engine, Machine::of(engine).device(), size, stop);
        time.configuration = winner.configuration;
        time.placed_ns = winner.median_ns;
    });
}

}  // namespace jitune::internal
