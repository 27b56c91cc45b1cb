// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/device.hpp"
#include "space/configuration.hpp"
#include "template/launch_rule.hpp"
#include "template/workload.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/measure/device_lock.hpp"
#include "tuning/measure/disturbance_watch.hpp"
#include "tuning/measure/launch_audit.hpp"
#include "tuning/measure/roofline.hpp"
#include "tuning/measure/trial_case.hpp"
#include "tuning/measure/work_memory.hpp"

namespace jitune::internal {

/// Why a candidate cannot win.
struct TrialFailure {
    Verdict verdict = Verdict::launch_failed;
    std::string reason;
    bool fatal = false;  ///< no other candidate can run on the device in this process
    NativeCode native_code = {};
    bool unloadable = false;  ///< the device does not take its code
};

TrialFailure failure_of(const LaunchFailure& failure);

/// Throws Error(device) that names the configuration if the failure is fatal, so that no other
/// candidate can run.
void refuse_lost_device(const TrialFailure& failure, const DeviceInfo& device,
                        const Configuration& configuration);

/// The workload of one problem laid out in a device's memory, to check and time candidates on. Each
/// candidate finds the same data, poisoned outputs and clean work memory. Used by one thread.
class Rig {
public:
    /// The cases that check() runs.
    enum class Checks {
        all,     ///< the workload's check cases, then the problem itself
        problem  ///< the problem itself: for candidates that other sizes have checked
    };

    /// With `warm_cache` each timed launch reads the data of the launch before it, else data that
    /// has left the cache. Throws Error(unavailable) if the problem does not fit into the device's
    /// memory.
    Rig(Device& device, const Workload& workload, const Problem& problem, bool warm_cache,
        const Log& log, Checks checks = Checks::all);

    /// True if the workload does not know all right answers: learn() must come before check().
    [[nodiscard]] bool needs_reference() const;

    /// Runs `program` on each case and keeps its outputs: candidates must give the same.
    std::optional<TrialFailure> learn(const Program& program, const LaunchRule& rule);

    /// Runs every case of Checks once, and judges the outputs, the inputs, the
    /// bytes around all of them and the zeroed work memory. If the result is `repeatable`, the
    /// problem runs once more and must give the same bits.
    std::optional<TrialFailure> check(const Program& program, const LaunchRule& rule,
                                      bool repeatable = false);

    /// Prepares to time a candidate, whose program must outlive the timer. The first candidate's
    /// speed sets how many launches make a sample; the other candidates have as many. A timed
    /// launch may read outputs of the one before it; each timer begins with the same data.
    std::variant<std::unique_ptr<Timer>, TrialFailure> timer(const Program& program,
                                                             const LaunchRule& rule);

    /// A timer of launches that follow each other without a pause.
    struct Continuous {
        std::unique_ptr<Timer> timer;
        std::size_t launches = 0;  ///< in each sample, with the launch that is not timed
    };
    /// Prepares to run a candidate for as long as the caller wants; one launch takes about
    /// `launch_ns`. Nothing flushes the caches between launches. The program must outlive the
    /// timer.
    std::variant<Continuous, TrialFailure> continuous(const Program& program,
                                                      const LaunchRule& rule, double launch_ns);

    /// Reads the counters of one launch on the problem itself, which the candidate must have
    /// passed. See Bench::counters().
    CounterOutcome counters(const Program& program, const LaunchRule& rule);

    /// Judges the outputs of the last sample's launches by their checksums, outside of the timed
    /// part: a candidate may be wrong only now and then.
    std::optional<TrialFailure> judge_timed();

    /// Takes one sample: ns per launch. Throws Error(unavailable) if the clock stands still.
    static std::variant<double, TrialFailure> sample(Timer& timer);

    /// Holds the device. Keep the turn while candidates are checked and timed, not while they are
    /// compiled.
    [[nodiscard]] DeviceLock::Turn turn() { return lock_.turn(); }

    [[nodiscard]] DisturbanceWatch& watch() { return watch_; }

    /// Refuses a time that no right kernel can have, because the memory cannot deliver cold data so
    /// fast.
    [[nodiscard]] std::optional<TrialFailure> judge_time(double ns) const;

    /// How samples are taken, once a timer has been made.
    [[nodiscard]] Conditions conditions() const;
    /// The conditions of samples with this disturbance. `alone`: no other tuning used the device.
    [[nodiscard]] Conditions conditions(const Disturbance& disturbance, bool alone) const;

private:
    /// The checks, then the problem itself.
    [[nodiscard]] std::vector<TrialCase*> trial_cases() const;
    Launch bind(const TrialCase& trial, const LaunchRule& rule, std::size_t place = 0);
    using Judge = std::string (TrialCase::*)();
    /// Runs a case and has `judge` look at it. A failure names the case.
    std::optional<TrialFailure> run(TrialCase& trial, const Program& program,
                                    const LaunchRule& rule, Judge judge);
    std::optional<TrialFailure> run_once(TrialCase& trial, const Program& program,
                                         const LaunchRule& rule);
    LaunchAudit& audit();
    std::optional<TrialFailure> check_outputs(const Program& program, const LaunchRule& rule,
                                              bool repeatable);
    std::optional<TrialFailure> judge_zeroed();
    /// The first candidate's speed says how many launches make a sample.
    std::optional<TrialFailure> choose_chain(const Program& program, const LaunchRule& rule);
    void copy_data();
    /// Returns a timer of `launches` launches, which take the copies of the data and the first
    /// `places` places of work memory in turn. Before them, each of these places has a launch that
    /// is not timed.
    std::unique_ptr<Timer> timer_of(const Program& program, const LaunchRule& rule,
                                    std::size_t launches, std::size_t places, bool flush);
    /// Returns how many places of work memory the launches of a sample take.
    [[nodiscard]] std::size_t places_for(const LaunchRule& rule) const;

    [[nodiscard]] std::size_t cold_bytes() const;

    /// The limit of a launch: enough for any right kernel on the largest problems, and short enough
    /// to notice a kernel that hangs.
    static constexpr std::chrono::milliseconds kLaunchLimit{20'000};
    static constexpr std::byte kPoison{0xff};  ///< a NaN, which no float absorbs

    DeviceLock lock_;
    std::unique_ptr<Bench> bench_;
    DisturbanceWatch watch_{*bench_};
    std::vector<Case> cases_;  // the checks, then the problem itself
    std::vector<std::unique_ptr<TrialCase>> checks_;
    std::vector<std::unique_ptr<TrialCase>> slices_;  // copies of the problem's data
    WorkMemory plain_{*bench_, kPoison};
    WorkMemory zeroed_{*bench_, std::byte{0}};
    std::unique_ptr<LaunchAudit> audit_;  ///< made for the first candidate
    bool warm_cache_;
    std::size_t cache_bytes_;
    Roofline roofline_;
    std::size_t chain_ = 0;  // launches in a sample; 0: not chosen yet
    bool flush_ = false;
};

}  // namespace jitune::internal
