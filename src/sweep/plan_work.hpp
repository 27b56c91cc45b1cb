// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dispatch/engine.hpp"
#include "plan/claim_folder.hpp"
#include "plan/deliveries.hpp"
#include "sweep/deadline.hpp"
#include "sweep/local_folder.hpp"
#include "sweep/sweep.hpp"

namespace jitune::internal {

/// Why a task leaves a plan.
enum class PlanEnd {
    nothing_left,  ///< no problem of this class of devices waits
    no_time,       ///< its time is over, or does not suffice for one more problem
    stopped,       ///< it was asked to stop
    unfit          ///< several problems in a row could not be tuned on its device
};

/// The work of one task on one device: claims problems of a plan, tunes them into a database on the
/// disk of this machine, and delivers each as a database of its own.
class PlanWork {
public:
    struct Place {
        std::string plan;  ///< its id
        std::string task;  ///< task_name() of this task
        ClaimFolder& claims;
        const Deliveries& deliveries;
        LocalFolder& local;  ///< whose database the engine uses
    };

    /// `problems` are in the order of their ranks. `until` is when the task will be killed. The
    /// objects that it refers to must outlive it.
    PlanWork(Engine& engine, Device& device, const Place& place,
             const std::vector<SweepProblem>& problems, SweepSearch search, const Deadline& until,
             const std::atomic<bool>& stop, SweepObserver& observer);

    /// Returns if there is nothing more to do, or if the task has to leave: then it hands its claim
    /// back and delivers what it has measured. Tells the observer of each problem that is done, has
    /// failed or was handed back, by its rank. Throws Error for a failure that belongs to no single
    /// problem, after it has tried to hand back its claim. The local folder keeps what could not be
    /// delivered.
    PlanEnd run();

    /// Why the last problem could not be tuned; for PlanEnd::unfit.
    [[nodiscard]] const std::string& last_reason() const { return last_reason_; }

private:
    class Forward;
    struct Mark;

    [[nodiscard]] bool has_time() const;
    [[nodiscard]] PlanEnd nothing_left() const;
    void tune(const ProblemState& claim);
    /// Puts what others have delivered for the problem into the database. True if that is all
    /// that there is to do.
    bool seed(const ProblemState& claim);
    void judge(const ProblemState& claim, const SweepResult& result, const Mark& mark);
    [[nodiscard]] SweepRow handed_back(std::size_t rank) const;
    void refuse(const ProblemState& claim, const std::string& reason);
    /// Delivers what has come into the database since the mark.
    void deliver(const ProblemState& claim, Delivery::Kind kind, const Mark& mark);
    [[nodiscard]] Mark mark();
    /// Finds out, once a minute, whether others use the device.
    void ask_busy();
    /// Delivers what is left of a task of this machine that died with this claim.
    void rescue(const ProblemState& claim);
    /// Called again and again while a problem is tuned.
    void watch();

    Engine& engine_;
    const TimeSource& time_;
    Device& device_;
    const Place place_;
    const std::vector<SweepProblem>& problems_;
    SweepSearch search_;
    const Deadline until_;
    const std::atomic<bool>& stop_asked_;
    SweepObserver& observer_;

    std::atomic<bool> stop_{false};  // of the sweep of one problem
    TimeSource::Clock::time_point last_beat_;
    Deadline asked_busy_until_;
    double longest_s_;
    std::size_t refused_in_a_row_ = 0;
    std::string last_reason_;
};

}  // namespace jitune::internal
