#include "ops/timed_reduce.hpp"

#include <cstring>

#include "engine/rig.hpp"
#include "measure/statistics.hpp"
#include "ops/reduce_call.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

namespace {

/// The caller's own data as the one thing to time.
class OwnData : public Workload {
public:
    OwnData(const void* values, std::size_t bytes, std::size_t result_bytes)
        : result_bytes_(result_bytes) {
        const auto* first = static_cast<const std::byte*>(values);
        data_ = std::make_shared<const std::vector<std::byte>>(first, first + bytes);
    }

    [[nodiscard]] std::vector<Case> checks(const Problem&) const override { return {}; }

    [[nodiscard]] Case timed(const Problem& problem) const override {
        Case one;
        one.name = "the given data";
        one.sizes = problem.sizes;
        one.arguments = {{data_, data_->size(), 0}, CaseArgument::output(result_bytes_)};
        one.judge = [this](std::span<const std::vector<std::byte>> outputs) {
            answer_ = outputs[0];
            return std::string();
        };
        return one;
    }

    [[nodiscard]] const std::vector<std::byte>& answer() const { return answer_; }

private:
    std::size_t result_bytes_;
    std::shared_ptr<const std::vector<std::byte>> data_;
    mutable std::vector<std::byte> answer_;
};

[[noreturn]] void fail(const TrialFailure& failure) {
    throw Error(ErrorKind::device, "timing the reduction: " + failure.reason);
}

double median_seconds(Rig& rig, const Resolved& resolved) {
    constexpr int kSamples = 9;
    auto timer = rig.timer(*resolved.program, resolved.rule);
    if (const auto* failure = std::get_if<TrialFailure>(&timer)) {
        fail(*failure);
    }
    std::vector<double> samples;
    for (int i = 0; i <= kSamples; ++i) {
        const auto sample = Rig::sample(*std::get<std::unique_ptr<Timer>>(timer));
        if (const auto* failure = std::get_if<TrialFailure>(&sample)) {
            fail(*failure);
        }
        samples.push_back(std::get<double>(sample));
    }
    samples.erase(samples.begin());  // the first one warms up
    return summarize(samples).median_ns * 1e-9;
}

}  // namespace

TimedReduction timed_reduce(Engine& engine, Backend& backend, const detail::ReduceRequest& request,
                            const void* values) {
    refuse_bad_shape(request.shape);
    const DispatchKey key = reduce_key(request, backend);
    const Resolved& resolved = resolve_reduce(engine, key, backend, request);
    const std::size_t elements = static_cast<std::size_t>(request.shape.inner);
    const OwnData data(values, elements * bytes_of(request.element), bytes_of(request.result));
    const auto& kernel = reduce_kernel(request.shape.kind, platform_of(backend)).kernel_template;
    Rig rig(backend, data, reduce_problem(request), kernel.front_matter().warm_cache, engine.log());
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.check(*resolved.program, resolved.rule)) {
        fail(*failure);
    }
    TimedReduction result{};
    std::memcpy(result.value, data.answer().data(), data.answer().size());
    result.info = resolved.info;
    result.seconds = median_seconds(rig, resolved);
    return result;
}

}  // namespace jitune
