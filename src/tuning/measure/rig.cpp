// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/rig.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

std::size_t cache_of(const DeviceInfo& info) {
    for (const char* name : {"l2_bytes", "cache_bytes"}) {
        if (const auto found = info.attributes.find(name); found != info.attributes.end()) {
            return static_cast<std::size_t>(std::max<std::int64_t>(found->second, 1 << 20));
        }
    }
    return std::size_t{32} << 20;
}

/// Nothing if the complaint is empty.
std::optional<TrialFailure> wrong_result(std::string complaint) {
    if (complaint.empty()) {
        return std::nullopt;
    }
    return TrialFailure{Verdict::wrong_result, std::move(complaint), false};
}

/// The checks, then the problem itself.
std::vector<Case> cases_of(const Workload& workload, const Problem& problem, Rig::Checks checks) {
    try {
        std::vector<Case> cases;
        if (checks == Rig::Checks::all) {
            cases = workload.checks(problem);
        }
        cases.push_back(workload.timed(problem));
        return cases;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::unavailable,
                    "cannot tune: not enough host memory for the problem's data and its answers");
    } catch (const std::length_error&) {
        throw Error(ErrorKind::unavailable,
                    "cannot tune: the problem's answers do not fit into any memory");
    }
}

}  // namespace

TrialFailure failure_of(const LaunchFailure& failure) {
    return {failure.timed_out ? Verdict::timed_out : Verdict::launch_failed, failure.reason,
            failure.fatal, failure.native_code};
}

void refuse_lost_device(const TrialFailure& failure, const DeviceInfo& device,
                        const Configuration& configuration) {
    if (failure.fatal) {
        const bool is_gpu = runs_on_gpu(device.platform);
        throw Error(
            ErrorKind::device,
            fmt::format("cannot go on tuning: the configuration {} {}: {}. {}",
                        configuration.text(),
                        is_gpu ? "took the device down" : "harmed the process it ran in",
                        failure.reason, is_gpu ? "Restart the process" : "Go on in a new process"),
            failure.native_code);
    }
}

Rig::Rig(Device& device, const Workload& workload, const Problem& problem, bool warm_cache,
         const Log& log, Checks checks)
    : lock_(device.info().uuid, log),
      bench_(device.make_bench()),
      cases_(cases_of(workload, problem, checks)),
      warm_cache_(warm_cache),
      cache_bytes_(cache_of(device.info())),
      roofline_(device.info()) {
    for (std::size_t i = 0; i + 1 < cases_.size(); ++i) {
        checks_.push_back(std::make_unique<TrialCase>(*bench_, cases_[i]));
    }
    slices_.push_back(std::make_unique<TrialCase>(*bench_, cases_.back()));
}

Launch Rig::bind(const TrialCase& trial, const LaunchRule& rule, std::size_t place) {
    const LaunchRule::Plan plan = rule.plan(trial.spec().sizes);
    return rule.bind(
        plan, trial.arrays(),
        {plain_.at(place, plan.scratch.plain), zeroed_.at(place, plan.scratch.zeroed)});
}

std::optional<TrialFailure> Rig::run(TrialCase& trial, const Program& program,
                                     const LaunchRule& rule, Judge judge) {
    auto failure = run_once(trial, program, rule);
    // The clock may have jumped: a candidate counts as late only if it is late twice.
    if (failure && failure->verdict == Verdict::timed_out && !failure->fatal) {
        failure = run_once(trial, program, rule);
    }
    if (!failure) {
        failure = wrong_result((trial.*judge)());
    }
    if (failure) {
        failure->reason = trial.spec().name + ": " + failure->reason;
    }
    return failure;
}

std::optional<TrialFailure> Rig::run_once(TrialCase& trial, const Program& program,
                                          const LaunchRule& rule) {
    trial.restore();
    try {
        const Launch launch = bind(trial, rule);
        plain_.refill();  // partial results of the last run could pass for those of this run
        if (const auto failure = bench_->run(program, launch, kLaunchLimit)) {
            return failure_of(*failure);
        }
    } catch (const Error& error) {  // no launch or no texture object can be of these sizes
        if (error.kind() != ErrorKind::usage) {
            throw;
        }
        return TrialFailure{Verdict::launch_failed, error.what(), false};
    }
    return std::nullopt;
}

std::optional<TrialFailure> Rig::judge_zeroed() {
    if (zeroed_.is_zero()) {
        return std::nullopt;
    }
    zeroed_.refill();
    return TrialFailure{Verdict::wrong_result, "left its zeroed work memory not zero", false};
}

std::vector<TrialCase*> Rig::trial_cases() const {
    std::vector<TrialCase*> all;
    for (const auto& check : checks_) {
        all.push_back(check.get());
    }
    all.push_back(slices_.front().get());
    return all;
}

bool Rig::needs_reference() const {
    return std::any_of(cases_.begin(), cases_.end(),
                       [](const Case& one) { return static_cast<bool>(one.agree); });
}

std::optional<TrialFailure> Rig::learn(const Program& program, const LaunchRule& rule) {
    for (TrialCase* trial : trial_cases()) {
        if (!trial->spec().agree) {  // it knows its answers
            continue;
        }
        if (auto failure = run(*trial, program, rule, &TrialCase::learn)) {
            return failure;
        }
    }
    return std::nullopt;
}

LaunchAudit& Rig::audit() {
    if (audit_ == nullptr) {
        audit_ = std::make_unique<LaunchAudit>(*bench_, trial_cases());
    }
    return *audit_;
}

std::optional<TrialFailure> Rig::judge_timed() {
    const std::size_t launched = std::min(chain_ + 1, slices_.size());
    return wrong_result(audit().judge_timed(std::span(slices_).first(launched)));
}

std::optional<TrialFailure> Rig::check(const Program& program, const LaunchRule& rule,
                                       bool repeatable) {
    LaunchAudit& watch = audit();
    auto failure = check_outputs(program, rule, repeatable);
    if (failure && failure->fatal) {  // nothing can be read any more
        return failure;
    }
    auto left = judge_zeroed();  // cleans up for the next candidate
    auto changed = wrong_result(watch.judge_inputs(!failure));
    return changed ? changed : failure ? failure : left;
}

std::optional<TrialFailure> Rig::check_outputs(const Program& program, const LaunchRule& rule,
                                               bool repeatable) {
    for (TrialCase* trial : trial_cases()) {
        auto failure = run(*trial, program, rule, &TrialCase::judge);
        const bool is_problem = trial == slices_.front().get();
        if (!failure && repeatable && is_problem && !trial->spec().exact) {
            failure = run(*trial, program, rule, &TrialCase::judge_repeated);
        }
        if (failure) {
            return failure;
        }
    }
    return std::nullopt;
}

}  // namespace jitune::internal
