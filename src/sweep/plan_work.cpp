// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan_work.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/thread_signals.hpp"
#include "sweep/plan_collect.hpp"
#include "sweep/work_order.hpp"
#include "tuner_db/winners/measurement_journal.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::seconds kBetweenBeats{30};
constexpr std::chrono::milliseconds kBetweenLooks{200};  // looks at signals and the clock
constexpr std::chrono::seconds kBusyHolds{60};
constexpr std::chrono::seconds kToDeliver{5};
constexpr std::size_t kMostRefused = 5;  // a device on which nothing works must not use up a plan

/// What the first problem may take, which nothing is known of.
double guess_s(const Options& options) {
    constexpr double kPart = 1.5;
    constexpr double kBegin = 2;
    const double budget = std::chrono::duration<double>(options.budget).count();
    return kBegin + kPart * (budget == 0 ? kUsualBudgetS : budget);
}

/// Calls a function on a thread of its own, at once and then again and again, as long as it lives.
class Heartbeat {
public:
    /// `beat` must not throw. Signals are not delivered to its thread.
    Heartbeat(std::chrono::milliseconds period, std::function<void()> beat);
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    void run(const std::stop_token& stop);

    const std::chrono::milliseconds period_;
    const std::function<void()> beat_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;  // ends before the members that it uses
};

Heartbeat::Heartbeat(std::chrono::milliseconds period, std::function<void()> beat)
    : period_(period), beat_(std::move(beat)) {
    const SignalsBlocked blocked;
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Heartbeat::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        beat_();
        wake_.wait_for(lock, stop, period_, [] { return false; });
    }
}

}  // namespace

/// Tells of the progress alone: what becomes of the problem is judged after the sweep.
class PlanWork::Forward : public SweepObserver {
public:
    explicit Forward(SweepObserver& observer) : observer_(observer) {}

    void done(const SweepRow& /*row*/) override {}
    void progress(const SweepState& state) override { observer_.progress(state); }

private:
    SweepObserver& observer_;
};

/// The content of the database before a problem.
struct PlanWork::Mark {
    std::int64_t measurement = 0;
    std::vector<Winner> winners;
};

PlanWork::PlanWork(Engine& engine, Device& device, const Place& place,
                   const std::vector<SweepProblem>& problems, SweepSearch search,
                   const Deadline& until, const std::atomic<bool>& stop, SweepObserver& observer)
    : engine_(engine),
      time_(engine.time()),
      device_(device),
      place_(place),
      problems_(problems),
      search_(std::move(search)),
      until_(until ? Deadline(*until - kToDeliver) : std::nullopt),
      stop_asked_(stop),
      observer_(observer),
      longest_s_(guess_s(engine.options())) {
    place_.claims.on_loss([this](const ProblemState& claim) { rescue(claim); });
}

bool PlanWork::has_time() const {
    return !until_ || time_.now() + std::chrono::duration<double>(longest_s_) < *until_;
}

PlanEnd PlanWork::run() {
    while (!stop_asked_) {
        if (!has_time()) {
            return place_.claims.any_waits() ? PlanEnd::no_time : nothing_left();
        }
        if (refused_in_a_row_ == kMostRefused) {
            return PlanEnd::unfit;
        }
        const auto claim = place_.claims.claim();
        if (!claim) {
            return nothing_left();
        }
        try {
            tune(*claim);
        } catch (...) {
            place_.local.keep();
            engine_.log().warning(
                "the task ends; what it has measured and not delivered is kept in {}",
                place_.local.database().string());
            try {
                place_.claims.hand_back(*claim);
            } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the first error counts
            }
            throw;
        }
    }
    return PlanEnd::stopped;
}

PlanEnd PlanWork::nothing_left() const {
    if (place_.claims.sees_all()) {
        LocalFolder::remove_abandoned(place_.plan);
    }
    return PlanEnd::nothing_left;
}

void PlanWork::watch() {
    if (stop_asked_ || is_late(until_, time_)) {
        stop_ = true;
    }
    if (time_.now() - last_beat_ >= kBetweenBeats) {
        last_beat_ = time_.now();
        try {
            place_.claims.beat();
        } catch (const Error& error) {
            engine_.log().warning("no sign of life: {}", error.what());
        }
    }
}

void PlanWork::tune(const ProblemState& claim) {
    const auto start = time_.now();
    stop_ = false;
    last_beat_ = start;
    const Heartbeat heartbeat(kBetweenLooks, [&] { watch(); });
    if (seed(claim)) {
        place_.claims.finish(claim);
        return;
    }
    ask_busy();
    const Mark before = mark();
    SweepProblem problem = problems_.at(claim.rank);
    SweepSearch search = search_;
    if (claim.round >
        1) {  // against the winners that disagree, and those that were timed with them
        search.again = true;
        problem.anew = true;
    }
    Forward forward(observer_);
    judge(claim,
          Sweep(engine_, {&device_}, {std::move(problem)}, std::move(search), stop_, forward).run(),
          before);
    longest_s_ = std::max(longest_s_, time_.seconds_since(start));
}

void PlanWork::ask_busy() {
    if (!asked_busy_until_ || is_late(asked_busy_until_, time_)) {
        search_.busy = busy_devices({&device_}, engine_.log());
        asked_busy_until_ = time_.now() + kBusyHolds;
    }
}

void PlanWork::judge(const ProblemState& claim, const SweepResult& result, const Mark& before) {
    SweepRow row = result.rows.empty() ? SweepRow() : result.rows.front();
    // A tuning that ends before its first candidate, because it was told to stop, counts as not
    // started.
    const bool has_failed = row.outcome == SweepRow::Outcome::failed ||
                            (row.outcome == SweepRow::Outcome::not_started && !stop_);
    row.problem = claim.rank;
    if (has_failed) {
        deliver(claim, Delivery::Kind::part, before);
        refuse(claim, row.note);
    } else if (result.rows.empty() || (stop_ && !row.complete)) {
        deliver(claim, Delivery::Kind::part, before);
        place_.claims.hand_back(claim);
        row = handed_back(claim.rank);
    } else if (row.outcome == SweepRow::Outcome::tuned && !row.stored) {
        throw Error(ErrorKind::store,
                    fmt::format("{}: the winner of {} could not be stored",
                                place_.local.database().string(), problems_.at(claim.rank).name));
    } else {
        deliver(claim, Delivery::Kind::result, before);
        place_.claims.finish(claim);
        refused_in_a_row_ = 0;
    }
    observer_.done(row);
}

SweepRow PlanWork::handed_back(std::size_t rank) const {
    SweepRow row;
    row.problem = rank;
    row.device = device_.info().id;
    row.outcome = SweepRow::Outcome::handed_back;
    row.note = "the next task goes on with what was measured";
    return row;
}

void PlanWork::refuse(const ProblemState& claim, const std::string& reason) {
    last_reason_ = reason;
    ++refused_in_a_row_;
    place_.deliveries.put_text(reason, {Delivery::Kind::reason, claim});
    place_.claims.reject(claim);
}

bool PlanWork::seed(const ProblemState& claim) {
    const std::filesystem::path copy = place_.local.path() / "seed.db";
    for (const Delivery& one : place_.deliveries.of(claim.rank)) {
        if (one.kind == Delivery::Kind::reason) {
            continue;
        }
        if (one.kind == Delivery::Kind::result && one.claim.round == claim.round) {
            return true;
        }
        try {
            if (place_.deliveries.fetch(one, copy)) {
                merge_delivered(*engine_.store(), copy, engine_.log());
            }
        } catch (const Error& error) {
            engine_.log().warning("{} is left out: {}", one.name(), error.what());
        }
        std::filesystem::remove(copy);
    }
    return false;
}

PlanWork::Mark PlanWork::mark() {
    Mark now;
    static_cast<void>(engine_.store()->measurements().after(now.measurement));
    now.winners = engine_.store()->winners();
    return now;
}

void PlanWork::deliver(const ProblemState& claim, Delivery::Kind kind, const Mark& before) {
    TuningStore& store = *engine_.store();
    std::int64_t last = before.measurement;
    const std::vector<Measurement> measurements = store.measurements().after(last);
    std::vector<Winner> winners;
    const auto add_those = [&](const auto& are_wanted) {
        for (const Winner& row : store.winners()) {
            auto winner = are_wanted(row) ? store.with_image(row) : std::nullopt;
            if (winner) {
                winners.push_back(std::move(*winner));
            }
        }
    };
    add_those([&](const Winner& row) {
        return std::find(before.winners.begin(), before.winners.end(), row) == before.winners.end();
    });
    if (kind == Delivery::Kind::result && winners.empty()) {  // those that were there have won
        add_those([&](const Winner& row) {
            return std::any_of(measurements.begin(), measurements.end(),
                               [&](const Measurement& one) { return one.key.is_like(row.key); });
        });
    }
    if (kind == Delivery::Kind::part && measurements.empty()) {
        return;
    }
    const std::filesystem::path file = place_.local.path() / "delivery.db";
    std::filesystem::remove(file);
    TuningStore::open(file, TuningStore::Access::read_write, engine_.log())
        ->save(measurements, winners);
    place_.deliveries.put(file, {kind, claim});
}

// All of its database: nobody knows what of it was delivered.
void PlanWork::rescue(const ProblemState& claim) {
    try {
        const bool delivered = place_.deliveries.has_result(claim);
        LocalFolder::rescue(place_.plan, claim.task, [&](const std::filesystem::path& database) {
            if (delivered) {
                return;
            }
            {
                const auto store =
                    TuningStore::open(database, TuningStore::Access::read_write, engine_.log());
                MeasurementJournal::recover(database, *store);
            }
            place_.deliveries.put(database, {Delivery::Kind::part, claim});
        });
    } catch (const Error& error) {
        engine_.log().warning("the measurements of a task that has died are lost: {}",
                              error.what());
    }
}

}  // namespace jitune::internal
