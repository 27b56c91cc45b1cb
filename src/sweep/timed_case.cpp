// SPDX-License-Identifier: Apache-2.0
#include "sweep/timed_case.hpp"

#include <memory>
#include <utility>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "tuning/measure/rig.hpp"

namespace jitune::internal {

namespace {

/// A workload of the caller's data alone.
class OwnData : public Workload {
public:
    explicit OwnData(Case one) : one_(std::move(one)) {
        one_.judge = [this](std::span<const std::vector<std::byte>> outputs) {
            answer_ = outputs[0];
            return std::string();
        };
    }

    [[nodiscard]] std::vector<Case> checks(const Problem&) const override { return {}; }
    [[nodiscard]] Case timed(const Problem&) const override { return one_; }

    [[nodiscard]] std::vector<std::byte> take_answer() { return std::move(answer_); }

private:
    Case one_;
    std::vector<std::byte> answer_;
};

[[noreturn]] void fail(const Problem& problem, const TrialFailure& failure) {
    throw Error(ErrorKind::device, "cannot time " + problem.kernel + ": " + failure.reason,
                failure.native_code);
}

/// Prepares the launch once. A placement compiles its kernels here, and throws the right kind of
/// Error; a trial would report any failure as one of the device.
void prepare(const Resolved& resolved, std::span<const std::int64_t> sizes) {
    std::unique_ptr<ReadyLaunch> ready;
    resolved.program->prepare(resolved.rule.bind(resolved.rule.plan(sizes), Scratch{}), ready);
}

double median_seconds(Rig& rig, const Problem& problem, const Resolved& resolved) {
    constexpr int kSamples = 9;
    auto timer = rig.timer(*resolved.program, resolved.rule);
    if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
        fail(problem, *failure);
    }
    std::vector<double> samples;
    for (int i = 0; i <= kSamples; ++i) {
        const auto sample = Rig::sample(*std::get<std::unique_ptr<Timer>>(timer));
        if (const auto* failure = std::get_if<TrialFailure>(&sample)) {
            fail(problem, *failure);
        }
        samples.push_back(std::get<double>(sample));
    }
    samples.erase(samples.begin());  // the first one warms up
    return summarize(samples).median_ns * 1e-9;
}

}  // namespace

CaseArgument input_of(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    return {std::make_shared<const std::vector<std::byte>>(first, first + bytes), bytes, 0};
}

TimedCase time_case(Engine& engine, const Task& task, const Resolved& resolved, Case one) {
    prepare(resolved, one.sizes);
    one.name = "the given data";
    OwnData data(std::move(one));
    Rig rig(task.device, data, task.problem, task.kernel_template().front_matter().warm_cache,
            engine.log());
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.check(*resolved.program, resolved.rule)) {
        fail(task.problem, *failure);
    }
    TimedCase result;
    result.seconds = median_seconds(rig, task.problem, resolved);
    result.output = data.take_answer();
    return result;
}

}  // namespace jitune::internal
