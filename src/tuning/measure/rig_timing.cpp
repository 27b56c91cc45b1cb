// SPDX-License-Identifier: Apache-2.0
// How Rig times candidates.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/loop_clock.hpp"
#include "tuning/measure/rig.hpp"

namespace jitune::internal {

namespace {

constexpr double kSampleNs = 180'000;  // some hundred times the resolution of an event
constexpr std::size_t kLongestChain = 64;
constexpr std::size_t kShortestChain = 3;
// Long enough for a sample: between two samples the device idles for some microseconds, hundreds of
// times less.
constexpr double kContinuousNs = 5'000'000;
constexpr std::size_t kFewestContinuous = 2;
constexpr std::size_t kMostContinuous = 2048;
constexpr double kLongLaunchNs = 1'000'000;  // such a launch is a sample by itself
// Each launch of a sample reads a copy of its own, up to so many bytes in all. To rotate through
// copies of a few times the cache's size would not do: a candidate that evicts its own lines first
// would leave old ones in the cache and hit them in the next turn.
constexpr std::size_t kMostBytesOfCopies = std::size_t{4} << 30;

std::size_t bytes_of(const Case& run) {
    std::size_t bytes = 1;
    for (const CaseArgument& argument : run.arguments) {
        bytes += argument.bytes;
    }
    return bytes;
}

std::size_t input_bytes(const Case& run) {
    std::size_t bytes = 1;
    for (const CaseArgument& argument : run.arguments) {
        bytes += argument.pattern == nullptr ? 0 : argument.bytes;
    }
    return bytes;
}

}  // namespace

/// By the fastest of a few samples of two launches.
std::optional<TrialFailure> Rig::choose_chain(const Program& program, const LaunchRule& rule) {
    if (chain_ > 0) {
        return std::nullopt;
    }
    const std::vector<Launch> probed(2, bind(*slices_.front(), rule));
    const auto timer = bench_->timer(program, probed, 1, !warm_cache_);
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        auto result = sample(*timer);
        if (auto* failure = std::get_if<TrialFailure>(&result)) {
            return std::move(*failure);
        }
        fastest = std::min(fastest, std::get<double>(result));
        if (i > 0 && fastest >= kLongLaunchNs) {  // two agree that a launch is long
            break;
        }
    }
    const auto chain = static_cast<std::size_t>(std::ceil(kSampleNs / fastest));
    chain_ = fastest >= kLongLaunchNs ? 1 : std::clamp(chain, kShortestChain, kLongestChain);
    if (!warm_cache_) {
        copy_data();
        flush_ = true;
    }
    return std::nullopt;
}

/// Makes a copy of the data for each launch of a sample and for the one that warms up, as far as
/// memory allows.
void Rig::copy_data() {
    const std::size_t most = std::max<std::size_t>(kMostBytesOfCopies / bytes_of(cases_.back()), 1);
    try {
        while (slices_.size() < std::min(chain_ + 1, most)) {
            slices_.push_back(std::make_unique<TrialCase>(*bench_, *slices_.front()));
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        slices_.resize((slices_.size() + 1) / 2);  // leaves memory for the candidates' own
    }
}

std::variant<std::unique_ptr<Timer>, TrialFailure> Rig::timer(const Program& program,
                                                              const LaunchRule& rule) {
    if (auto failure = choose_chain(program, rule)) {
        return std::move(*failure);
    }
    return timer_of(program, rule, chain_, places_for(rule), flush_);
}

std::size_t Rig::places_for(const LaunchRule& rule) const {
    constexpr std::size_t kLaunchesOfPlace = 4;
    const ScratchNeed need = rule.plan(cases_.back().sizes).scratch;
    const std::size_t most =
        std::max(WorkMemory::places_of(need.plain), WorkMemory::places_of(need.zeroed));
    // If data stays in the cache, so does its work memory, in one place.
    return warm_cache_ ? 1 : std::clamp(chain_ / kLaunchesOfPlace, std::size_t{1}, most);
}

std::unique_ptr<Timer> Rig::timer_of(const Program& program, const LaunchRule& rule,
                                     std::size_t launches, std::size_t places, bool flush) {
    for (const auto& slice : slices_) {
        slice->restore();
    }
    std::vector<Launch> chain;
    for (std::size_t place = 0; place < places; ++place) {
        chain.push_back(bind(*slices_.front(), rule, place));
    }
    for (std::size_t i = 0; i < launches; ++i) {
        chain.push_back(bind(*slices_[(i + 1) % slices_.size()], rule, i % places));
    }
    return bench_->timer(program, chain, places, flush);
}

std::variant<Rig::Continuous, TrialFailure> Rig::continuous(const Program& program,
                                                            const LaunchRule& rule,
                                                            double launch_ns) {
    if (auto failure = choose_chain(program, rule)) {
        return std::move(*failure);
    }
    const auto wished = static_cast<std::size_t>(kContinuousNs / launch_ns);
    const std::size_t launches = std::clamp(wished, kFewestContinuous, kMostContinuous);
    return Continuous{timer_of(program, rule, launches - 1, 1, false), launches};
}

CounterOutcome Rig::counters(const Program& program, const LaunchRule& rule) {
    slices_.front()->restore();
    return bench_->counters(program, bind(*slices_.front(), rule));
}

std::variant<double, TrialFailure> Rig::sample(Timer& timer) {
    const auto result = timer.sample(kLaunchLimit);
    if (const auto* failure = std::get_if<LaunchFailure>(&result)) {
        return failure_of(*failure);
    }
    const double ns = std::get<double>(result);
    if (ns == 0 && clock_stands_still()) {  // no fault of the candidate
        throw Error(ErrorKind::unavailable,
                    "cannot time kernels: the monotonic clock of this machine stands still");
    }
    if (!std::isfinite(ns) || ns <= 0) {
        return TrialFailure{Verdict::launch_failed, fmt::format("measured a time of {} ns", ns),
                            false};
    }
    return ns;
}

/// How many bytes of one launch's inputs cannot be in the cache, whatever it keeps.
std::size_t Rig::cold_bytes() const {
    if (warm_cache_ || !cases_.back().reads_all) {
        return 0;
    }
    const std::size_t bytes = input_bytes(cases_.back());
    const std::size_t cached = slices_.size() > chain_ ? 0 : cache_bytes_;
    return bytes > cached ? bytes - cached : 0;
}

std::optional<TrialFailure> Rig::judge_time(double ns) const {
    if (auto complaint = roofline_.complaint(cold_bytes(), ns)) {
        return TrialFailure{Verdict::wrong_result, std::move(*complaint), false};
    }
    return std::nullopt;
}

Conditions Rig::conditions() const {
    return {.cache = warm_cache_ ? Conditions::Cache::warm : Conditions::Cache::cold,
            .by = std::string(bench_->chain_kind()),
            .chain = chain_,
            .slices = slices_.size(),
            .flush = flush_,
            .clocks = std::nullopt};
}

Conditions Rig::conditions(const Disturbance& disturbance, bool alone) const {
    Conditions result = conditions();
    result.clocks = disturbance.clocks;
    result.contended = disturbance.contended || disturbance.slowed;
    result.shared = !alone;
    return result;
}

}  // namespace jitune::internal
