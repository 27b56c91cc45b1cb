// SPDX-License-Identifier: Apache-2.0
#include "articles/step_runner.hpp"

#include <chrono>
#include <functional>
#include <new>
#include <vector>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"

namespace jitune::internal {

namespace {

/// Calls `measure`. A step that does not compile, is wrong or needs too much memory becomes an
/// outcome; throws every other error.
StepResult attempt(const std::function<void(StepResult&)>& measure) {
    StepResult result;
    try {
        measure(result);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable && error.kind() != ErrorKind::verify &&
            error.kind() != ErrorKind::compile) {
            throw;
        }
        result.outcome = error.kind() == ErrorKind::unavailable ? StepResult::Outcome::not_started
                                                                : StepResult::Outcome::failed;
        result.note = error.what();
    } catch (const std::bad_alloc&) {
        result.outcome = StepResult::Outcome::not_started;
        result.note = "not enough memory";
    }
    return result;
}

/// The median time of copying so many bytes to a device and as many back.
double time_copies(Device& device, std::size_t bytes) {
    constexpr int kSamples = 5;
    const auto bench = device.make_bench();
    std::vector<std::byte> array(bytes);
    const auto input = bench->allocate(bytes);
    const auto output = bench->allocate(bytes);
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

std::string_view to_string(StepResult::Outcome outcome) {
    switch (outcome) {
        case StepResult::Outcome::timed:
            return "timed";
        case StepResult::Outcome::not_started:
            return "not started";
        case StepResult::Outcome::failed:
            break;
    }
    return "failed";
}

std::string free_parameters(const Configuration& configuration, const SearchSpace& space) {
    std::vector<Configuration::Entry> open;
    for (const Configuration::Entry& entry : configuration.entries()) {
        for (std::size_t i = 0; i < space.size(); ++i) {
            if (space.at(i).at(entry.first) != entry.second) {
                open.push_back(entry);
                break;
            }
        }
    }
    return Configuration(std::move(open)).text();
}

StepResult StepRunner::run(Device& device, const Step& step, const StepInput& input, bool tune) {
    return attempt([&](StepResult& result) {
        if (step.is_own()) {
            result.standard = tune_own(device, input);
        } else {
            run_article(result, device, step, input, tune);
        }
        const std::size_t bytes = input_bytes(set_, input);
        result.gb_per_s = static_cast<double>(bytes) / result.standard.median_ns;
        if (set_.times_copies && step.platform == PlatformKind::cuda) {
            result.copies_ns = time_copies(device, bytes);
        }
    });
}

void StepRunner::run_article(StepResult& result, Device& device, const Step& step,
                             const StepInput& input, bool tune) {
    if (!kernels_.contains(step.file)) {
        kernels_.emplace(step.file, load_step_kernel(set_, step));
    }
    const Kernel& kernel = kernels_.at(step.file);
    const Task task{device, kernel, step_problem(set_, step, kernel, input)};
    result.standard = search(task, 1);
    if (tune) {
        result.best = search(task, 0);
    }
}

StepTime StepRunner::search(const Task& task, std::size_t max_evaluations) {
    const SearchPlan plan{.strategy = "exhaustive", .max_evaluations = max_evaluations};
    const Winner winner = tune(task, plan, {.stop = &stop_}, binaries_, engine_.log()).winner;
    return {free_parameters(task.parse(winner.configuration), task.space()), winner.median_ns,
            winner.noise};
}

StepTime StepRunner::tune_own(Device& device, const StepInput& input) {
    const Options& options = engine_.options();
    const SearchPlan plan{
        .strategy = options.strategy, .seed = options.seed, .budget = options.budget};
    const Winner winner =
        engine_.tuner()
            .tune({device, set_.own_kernel(device), set_.problem(input)}, plan, {.stop = &stop_})
            .winner;
    return {winner.configuration, winner.median_ns, winner.noise};
}

}  // namespace jitune::internal
