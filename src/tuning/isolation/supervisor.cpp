// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/supervisor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuner_db/winners/record_message.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/isolation/worker_process.hpp"
#include "tuning/search/tuning_history.hpp"

// Whom a dead worker blames.
//
// A worker announces each step before it takes it, so that at its death WorkerSteps names the
// candidate on the device, if any, and those in the hands of compilers. Any of them may be the
// cause: generated code can crash in the same process as the compiler's threads.
//
// If the worker made the data or ran the reference when it died, no candidate is to blame: the
// second worker in a row that ends there ends the tuning. The first may have been killed from
// outside.
//
// One candidate is under way, and no other has run in this worker: it is charged, which is a
// verdict like any other, and the next worker does not meet it again. If others have run before,
// one of them may have damaged the process, and if it was loading code that it shares with others,
// their code may be the cause: then the candidate is only suspected.
//
// Several candidates under way: none is charged on suspicion. Suspects are compiled and run by the
// next worker one after the other, while nothing else is under way, so that its death would name
// the culprit. The candidate on the device is suspected first, because crashes are far more often
// its than the compiler's. If it survives alone and a worker dies again, the compiles that were
// under way both times become suspects.

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGlance{20};       // between looks at the clock and at the stop flag
constexpr milliseconds kShortGlance{5};   // if it may have to leave the device soon
constexpr milliseconds kLongGlance{200};  // a clock that jumps must not make a candidate overdue
constexpr int kMostFutile = 3;
constexpr int kMostUnprepared = 2;
constexpr int kLeast = 4;  // this part of a limit is there for each worker

/// Enough for a worker's start as a rule, so that a search that was stopped early has results.
constexpr std::chrono::milliseconds kStoppedStartTime{2'000};

}  // namespace

SupervisedTuning::SupervisedTuning(WorkerRequest request, const TuneHooks& hooks,
                                   const RecordMaker& record_maker, const WatchLimits& limits,
                                   const Log& log, std::atomic<std::int64_t>& compiles)
    : request_(std::move(request)),
      hooks_(hooks),
      record_maker_(record_maker),
      limits_(limits),
      log_(log),
      compiles_(compiles),
      time_(kGlance, kLongGlance, *hooks.time),
      spent_before_(request_.plan.spent) {
    const auto& history = request_.plan.history;
    for (std::size_t i = 0; i < history.size(); ++i) {
        history_index_[history[i].configuration] = i;
    }
}

std::optional<TuneReport> SupervisedTuning::follow(WorkerProcess& worker) {
    begin(worker);
    while (true) {
        pass_on_stop(worker);
        pass_on_turn(worker);
        const auto message = worker.receive(hooks_.has_turn ? kShortGlance : kGlance);
        count_turn();
        if (message) {
            if (message->front() == worker_messages::kError) {
                take_error(*message);
                return std::nullopt;
            }
            if (auto report = take(worker, *message)) {
                return report;
            }
        } else if (worker.lost()) {
            judge_end(worker.last_words());
            return std::nullopt;
        } else {
            tell_wait();
        }
        if (judge_overdue_steps()) {
            return std::nullopt;
        }
    }
}

void SupervisedTuning::begin(WorkerProcess& worker) {
    if (search_began_) {  // a replaced worker gets what is left of the budget
        request_.plan.spent =
            spent_before_ + std::chrono::duration_cast<milliseconds>(active() - *search_began_);
    }
    Message message{worker_messages::kTune};
    MessageWriter writer(message);
    WorkerRequest request = request_;
    if (const milliseconds limit = request.plan.limit; limit.count() > 0) {
        request.plan.limit =
            std::max(limit - std::chrono::duration_cast<milliseconds>(active()), limit / kLeast);
    }
    write_request(writer, request);
    worker.send(message);
    told_to_stop_ = false;
    has_turn_ = true;
    is_heard_ = true;
    steps_ = WorkerSteps(time_.lasted());
}

void SupervisedTuning::pass_on_stop(WorkerProcess& worker) {
    if (!hooks_.stop->load()) {
        return;
    }
    if (hooks_.given_up.stop_possible()) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("the tuning of {} was given up, because its session ends",
                                record_maker_.task().name()));
    }
    if (!told_to_stop_) {
        worker.send({worker_messages::kStop});
        told_to_stop_ = true;
    }
    // A first candidate that is soon ready gives the tuning a result. A worker that has one ends by
    // itself, once it has tried the default and the incumbent.
    stopped_ = stopped_.value_or(time_.lasted());
    if (report_.measurements.empty() && steps_.running().empty() &&
        time_.lasted() - *stopped_ > limits_.stopped) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("stopped before a candidate of {} was ready; tune again to go on",
                                record_maker_.task().name()));
    }
}

/// Sends one such message at a time: a worker that does not read must not block this thread.
void SupervisedTuning::pass_on_turn(WorkerProcess& worker) {
    if (!hooks_.has_turn) {
        return;
    }
    const bool has_turn = hooks_.has_turn();
    if (has_turn != has_turn_ && is_heard_) {
        Message message{worker_messages::kTurn};
        MessageWriter(message).integer(has_turn ? 1 : 0);
        worker.send(message);
        has_turn_ = has_turn;
        is_heard_ = false;
    }
}

void SupervisedTuning::count_turn() {
    const LoopClock::Time before = time_.lasted();
    const LoopClock::Time passed = time_.turn() - before;
    if (steps_.rests()) {
        rested_ += passed;
        *hooks_.rested += passed;
        steps_.skip_to(time_.lasted());
    }
}

std::optional<TuneReport> SupervisedTuning::take(WorkerProcess& worker, const Message& message) {
    MessageReader reader(message);
    const std::string name = reader.text();
    is_heard_ = true;
    steps_.hear(time_.lasted());
    if (name == worker_messages::kAnnounce) {
        search_began_ = search_began_.value_or(active());
        // The worker waits for "go" before it runs any of these. By then the observer has them on
        // disk, so that even the death of the machine leaves a trace of them.
        hooks_.observer->announce(reader.texts());
        worker.send({worker_messages::kGo});
    } else if (name == worker_messages::kRests) {
        steps_.rest();
        hooks_.observer->rests();
    } else if (name == worker_messages::kMeasured) {
        take_measurement(read_record<Measurement>(reader));
    } else if (name == worker_messages::kProgress) {
        report_.progress = read_progress(reader, image_);
        hooks_.progress(report_.progress);
    } else if (name == worker_messages::kReport) {
        return make_report(reader);
    } else if (name == worker_messages::kCompiles) {
        compiles_ += reader.integer();
    } else if (name == worker_messages::kLog) {
        log_.info("{}", reader.text());
    } else {
        steps_.take(name, reader, time_.lasted());
    }
    return std::nullopt;
}

void SupervisedTuning::take_measurement(Measurement measurement) {
    futile_ = 0;
    steps_.end_run(time_.lasted());
    hooks_.observer->measured(measurement);
    report_.measurements.push_back(measurement);
    // A later worker repeats the finals, so that their samples are no history for it.
    if (is_of_finals(measurement)) {
        return;
    }
    auto& history = request_.plan.history;
    const auto [known, is_new] = history_index_.emplace(measurement.configuration, history.size());
    if (is_new) {
        history.push_back(std::move(measurement));
    } else {
        history[known->second] = std::move(measurement);
    }
}

TuneReport SupervisedTuning::make_report(MessageReader& reader) {
    report_.winner = read_record<Winner>(reader);
    report_.progress = read_progress(reader, image_);
    return std::move(report_);
}

void SupervisedTuning::take_error(const Message& message) {
    MessageReader reader(message);
    reader.text();  // the message's name
    const Error error = read_error(reader);
    if (error.kind() != ErrorKind::device) {
        throw error;
    }
    // The worker has lost the device, which a new process can use again.
    if (!steps_.running().empty()) {
        charge(steps_.running(), Verdict::launch_failed, error.what());
    } else {
        count_futile(error);
    }
}

void SupervisedTuning::tell_wait() const {
    TuneProgress progress = report_.progress;
    progress.wait = steps_.long_wait(time_.lasted(), limits_);
    if (progress.wait) {
        hooks_.progress(progress);
    }
}

bool SupervisedTuning::judge_overdue_steps() {
    if (judge_overdue_compiles()) {
        return true;
    }
    if (steps_.runs_too_long(time_.lasted(), limits_.candidate)) {
        if (steps_.loads_code_of_others()) {
            suspect({steps_.running()});
        } else {
            charge(steps_.running(), Verdict::timed_out, no_end_reason(limits_.candidate));
        }
        return true;
    }
    if (steps_.is_silent(time_.lasted(), limits_.idle)) {
        count_futile({ErrorKind::device,
                      fmt::format("it said nothing for {} s", limits_.idle.count() / 1000)});
        return true;
    }
    return false;
}

/// A batch of several shares one call of the compiler: which of them it hangs on shows when each is
/// compiled alone.
bool SupervisedTuning::judge_overdue_compiles() {
    const auto overdue = steps_.overdue_batches(time_.lasted(), limits_.compile);
    for (const WorkerSteps::Batch& batch : overdue) {
        if (batch.size() == 1) {
            charge(batch.front(), Verdict::compile_failed,
                   "the compiler " + no_end_reason(limits_.compile));
        } else {
            suspect(batch);
        }
    }
    return !overdue.empty();
}

void SupervisedTuning::judge_end(const std::string& reason) {
    const std::set<std::string> compiled = steps_.compiling();
    if (!steps_.preparing().empty()) {
        suspect({compiled.begin(), compiled.end()});  // the next worker tries them after its data
        return count_futile({ErrorKind::verify, reason});
    }
    if (steps_.running().empty() && compiled.empty()) {
        return count_futile({ErrorKind::device, reason});
    }
    log_.info("a worker has ended ({}); another takes its place", reason);
    if (compiled.empty()) {
        const bool is_certain =
            is_finalist() || (steps_.runs_the_first() && !steps_.loads_code_of_others());
        return is_certain ? charge(steps_.running(), Verdict::crashed, reason)
                          : suspect({steps_.running()});
    }
    if (steps_.running().empty() && compiled.size() == 1) {
        return charge(*compiled.begin(), Verdict::compile_failed,
                      "the compiler took its process down: " + reason);
    }
    judge_several_under_way(compiled);
}

/// Finalists are known to pass alone, and a worker does not try them again before the finals.
bool SupervisedTuning::is_finalist() const {
    return history_index_.contains(steps_.running());
}

void SupervisedTuning::judge_several_under_way(const std::set<std::string>& compiling) {
    // They were also under way at an earlier death, whose first suspect has meanwhile run alone and
    // survived.
    std::vector<std::string> again;
    std::set_intersection(compiling.begin(), compiling.end(), doubtful_.begin(), doubtful_.end(),
                          std::back_inserter(again));
    if (!again.empty()) {
        suspect(again);
    } else if (steps_.running().empty()) {
        suspect({compiling.begin(), compiling.end()});
    } else {
        suspect({steps_.running()});
        doubtful_ = compiling;
    }
}

void SupervisedTuning::suspect(const std::vector<std::string>& configurations) {
    auto& suspects = request_.plan.suspects;
    suspects.insert(suspects.end(), configurations.begin(), configurations.end());
}

void SupervisedTuning::charge(const std::string& configuration, Verdict verdict,
                              const std::string& reason) {
    log_.info("{}: {}: {}", configuration, to_string(verdict), reason);
    take_measurement(record_maker_.verdict(configuration, verdict, reason));
}

/// Guards against workers that can never work, such as one that lacks a library: only a worker that
/// has tried a candidate is worth a successor without end.
void SupervisedTuning::count_futile(const Error& error) {
    const std::string when = steps_.preparing().empty()
                                 ? "before they tried a candidate. The last one"
                                 : "while " + steps_.preparing();
    if (++futile_ >= (steps_.preparing().empty() ? kMostFutile : kMostUnprepared)) {
        throw Error(error.kind(),
                    fmt::format("cannot tune {} in a worker process: {} workers in a row ended "
                                "{}: {}",
                                record_maker_.task().name(), futile_, when, error.what()),
                    error.native_code());
    }
    log_.info("a worker has ended early ({}); another takes its place", error.what());
}

Supervisor::Supervisor(std::filesystem::path program, int nice, const WatchLimits& limits,
                       const Log& log, std::atomic<std::int64_t>& compiles)
    : program_(std::move(program)), nice_(nice), limits_(limits), log_(log), compiles_(compiles) {}

Supervisor::~Supervisor() = default;

void Supervisor::start(const TuneHooks& hooks) {
    constexpr int kMostStarts = 3;
    for (int starts = 1; worker_ == nullptr; ++starts) {
        try {
            worker_ = std::make_unique<WorkerProcess>(
                program_, nice_, *hooks.stop,
                hooks.given_up.stop_possible() ? std::chrono::milliseconds(0) : kStoppedStartTime,
                *hooks.time);
        } catch (const WorkerEnded&) {
            if (starts == kMostStarts) {
                throw;
            }
        }
    }
}

TuneReport Supervisor::tune(WorkerRequest request, const TuneHooks& hooks,
                            const RecordMaker& record_maker) {
    SupervisedTuning tuning(std::move(request), hooks, record_maker, limits_, log_, compiles_);
    while (true) {
        start(hooks);
        try {
            if (auto report = tuning.follow(*worker_)) {
                return std::move(*report);
            }
        } catch (...) {
            worker_.reset();
            throw;
        }
        worker_.reset();
    }
}

}  // namespace jitune::internal
