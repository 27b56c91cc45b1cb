// SPDX-License-Identifier: Apache-2.0
#include "articles/step_runner.hpp"

#include <new>

#include "families/reduce/reduce_kernel.hpp"
#include "jitune/error.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

void refuse_host_steps(const Device& device) {
    if (device.info().platform != PlatformKind::cuda) {
        throw Error(
            ErrorKind::usage,
            "the steps are CUDA kernels: --device takes cuda or cuda:N, not " + device.info().id);
    }
}

StepRow attempt_step(const std::function<void(StepRow&)>& measure) {
    StepRow row;
    try {
        measure(row);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable && error.kind() != ErrorKind::verify &&
            error.kind() != ErrorKind::compile) {
            throw;
        }
        row.outcome = error.kind() == ErrorKind::unavailable ? StepRow::Outcome::skipped
                                                             : StepRow::Outcome::failed;
        row.note = error.what();
    } catch (const std::bad_alloc&) {
        row.outcome = StepRow::Outcome::skipped;
        row.note = "not enough memory";
    }
    return row;
}

StepTime time_step(const Task& task, std::size_t max_evaluations, const std::atomic<bool>& stop,
                   BinaryCache& binaries, const Log& log) {
    const TuneReport report =
        tune(task, {.strategy = "exhaustive", .max_evaluations = max_evaluations}, {.stop = &stop},
             binaries, log);
    return {free_parameters(task.parse(report.winner.configuration), task.space()),
            report.winner.median_ns, report.winner.noise};
}

StepRunner::StepRunner(Engine& engine, Device& device, ElementType type, std::int64_t n,
                       const std::atomic<bool>& stop)
    : engine_(engine), device_(device), type_(type), n_(n), stop_(stop) {
    refuse_host_steps(device);
    refuse_other_types(type);
    device.compiler();  // without one, no step would get anywhere
}

StepTime StepRunner::search(const ReductionStep& step, std::size_t max_evaluations) {
    return time_step({device_, step_kernel(step), step_problem(step, type_, n_)}, max_evaluations,
                     stop_, binaries_, engine_.log());
}

StepRow StepRunner::run(const ReductionStep& step, bool tune) {
    return attempt_step([&](StepRow& row) {
        row.standard = search(step, 1);  // the default comes first
        if (tune) {
            row.best = search(step, 0);
        }
    });
}

StepRow StepRunner::run_own() {
    const Options& options = engine_.options();
    const Problem problem =
        reduce_problem({type_, type_, Reduction(ReduceOp::sum), detail::ReduceShape::all(n_)});
    return attempt_step([&](StepRow& row) {
        const Winner winner =
            engine_
                .tune_and_store(
                    {device_, reduce_kernel(ReduceKind::all, PlatformKind::cuda), problem},
                    {.strategy = options.strategy, .seed = options.seed, .budget = options.budget},
                    {.stop = &stop_})
                .winner;
        row.standard = {winner.configuration, winner.median_ns, winner.noise};
    });
}

std::optional<double> StepRunner::peak_gb_per_s() const {
    const auto& attributes = device_.info().attributes;
    const auto clock = attributes.find("memory_clock_khz");
    const auto bus = attributes.find("memory_bus_bits");
    if (clock == attributes.end() || bus == attributes.end() || clock->second <= 0 ||
        bus->second <= 0) {
        return std::nullopt;
    }
    constexpr double kTransfersPerClock = 2;  // double data rate
    const double bytes = static_cast<double>(bus->second) / 8;
    return kTransfersPerClock * static_cast<double>(clock->second) * 1e3 * bytes / 1e9;
}

double StepRunner::gb_per_s(double median_ns) const {
    return static_cast<double>(n_) * static_cast<double>(bytes_of(type_)) / median_ns;
}

}  // namespace jitune::internal
