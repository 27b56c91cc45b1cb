// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/supervised_tuning.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuner_db/record_message.hpp"
#include "tuning/finalist.hpp"
#include "tuning/isolation/worker_process.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGlance{20};  // between looks at the clock and at the stop flag
constexpr int kMostFutile = 3;

std::string no_end_within(milliseconds limit) {
    return fmt::format("did not end in {:g} s", static_cast<double>(limit.count()) / 1000);
}

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
      spent_before_(request_.plan.spent) {
    const auto& history = request_.plan.history;
    for (std::size_t i = 0; i < history.size(); ++i) {
        place_of_[history[i].configuration] = i;
    }
}

std::optional<TuneReport> SupervisedTuning::follow(WorkerProcess& worker) {
    begin(worker);
    while (true) {
        if (!told_to_stop_ && hooks_.stop->load()) {
            worker.send({worker_messages::kStop});
            told_to_stop_ = true;
        }
        if (const auto message = worker.receive(kGlance)) {
            if (message->front() == worker_messages::kError) {
                MessageReader reader(*message);
                reader.text();
                take_error(reader);
                return std::nullopt;
            }
            if (auto report = take(worker, *message)) {
                return report;
            }
        } else if (worker.lost()) {
            explain_end(worker.last_words());
            return std::nullopt;
        }
        if (is_late()) {
            return std::nullopt;
        }
    }
}

void SupervisedTuning::begin(WorkerProcess& worker) {
    if (search_began_) {
        request_.plan.spent =
            spent_before_ + std::chrono::duration_cast<milliseconds>(Clock::now() - *search_began_);
    }
    Message message{worker_messages::kTune};
    MessageWriter writer(message);
    write_request(writer, request_);
    worker.send(message);
    told_to_stop_ = false;
    running_.clear();
    since_ = Clock::now();
    batches_.clear();
}

std::optional<TuneReport> SupervisedTuning::take(WorkerProcess& worker, const Message& message) {
    MessageReader reader(message);
    const std::string word = reader.text();
    if (running_.empty()) {
        since_ = Clock::now();
    }
    if (word == worker_messages::kAnnounce) {
        search_began_ = search_began_.value_or(Clock::now());
        hooks_.observer->announce(reader.texts());
        worker.send({worker_messages::kGo});
    } else if (word == worker_messages::kMeasured) {
        take_measurement(read_measurement(reader));
    } else if (word == worker_messages::kProgress) {
        report_.progress = read_progress(reader);
        hooks_.progress(report_.progress);
    } else if (word == worker_messages::kReport) {
        return make_report(reader);
    } else {
        take_step(word, reader);
    }
    return std::nullopt;
}

void SupervisedTuning::take_step(const std::string& word, MessageReader& reader) {
    if (word == worker_messages::kCompiling) {
        const std::int64_t batch = reader.integer();
        batches_[batch] = {reader.texts(), Clock::now()};
    } else if (word == worker_messages::kCompiled) {
        batches_.erase(reader.integer());
    } else if (word == worker_messages::kCompiles) {
        compiles_ += reader.integer();
    } else if (word == worker_messages::kCheck || word == worker_messages::kTime) {
        running_ = reader.text();
        since_ = Clock::now();
    } else if (word == worker_messages::kLog) {
        log_.info("{}", reader.text());
    }
}

void SupervisedTuning::take_measurement(Measurement measurement) {
    running_.clear();
    futile_ = 0;
    since_ = Clock::now();
    hooks_.observer->measured(measurement);
    report_.measurements.push_back(measurement);
    if (is_of_finals(measurement)) {
        return;
    }
    auto& history = request_.plan.history;
    const auto [place, added] = place_of_.emplace(measurement.configuration, history.size());
    if (added) {
        history.push_back(std::move(measurement));
    } else {
        history[place->second] = std::move(measurement);
    }
}

TuneReport SupervisedTuning::make_report(MessageReader& reader) {
    report_.winner = read_winner(reader);
    report_.progress = read_progress(reader);
    return std::move(report_);
}

void SupervisedTuning::take_error(MessageReader& reader) {
    const auto kind = static_cast<ErrorKind>(reader.integer());
    const std::string text = reader.text();
    if (kind != ErrorKind::device) {
        throw Error(kind, text);
    }
    if (!running_.empty()) {
        charge(running_, Verdict::launch_failed, text);
    } else {
        count_futile(text);
    }
}

bool SupervisedTuning::is_late(const Batch& batch) const {
    return Clock::now() - batch.since > limits_.compile;
}

bool SupervisedTuning::is_late() {
    if (std::any_of(batches_.begin(), batches_.end(),
                    [&](const auto& one) { return is_late(one.second); })) {
        give_late_compiles_a_verdict();
        return true;
    }
    const auto spent = Clock::now() - since_;
    if (!running_.empty() && spent > limits_.candidate) {
        charge(running_, Verdict::timed_out, no_end_within(limits_.candidate));
        return true;
    }
    if (running_.empty() && batches_.empty() && spent > limits_.idle) {
        count_futile(fmt::format("it said nothing for {} s", limits_.idle.count() / 1000));
        return true;
    }
    return false;
}

void SupervisedTuning::give_late_compiles_a_verdict() {
    for (const auto& [number, batch] : batches_) {
        if (!is_late(batch)) {
            continue;
        }
        if (batch.configurations.size() == 1) {
            charge(batch.configurations.front(), Verdict::compile_failed,
                   "the compiler " + no_end_within(limits_.compile));
        } else {
            suspect(batch.configurations);
        }
    }
}

std::set<std::string> SupervisedTuning::compiling() const {
    std::set<std::string> all;
    for (const auto& [number, batch] : batches_) {
        all.insert(batch.configurations.begin(), batch.configurations.end());
    }
    return all;
}

void SupervisedTuning::explain_end(const std::string& reason) {
    const std::set<std::string> compiled = compiling();
    if (running_.empty() && compiled.empty()) {
        return count_futile(reason);
    }
    log_.info("a worker has ended ({}); another takes its place", reason);
    if (compiled.empty()) {
        return charge(running_, Verdict::crashed, reason);
    }
    if (running_.empty() && compiled.size() == 1) {
        return charge(*compiled.begin(), Verdict::compile_failed,
                      "the compiler took its process down: " + reason);
    }
    std::vector<std::string> again;  // once a suspect has been alone and innocent
    std::set_intersection(compiled.begin(), compiled.end(), doubtful_.begin(), doubtful_.end(),
                          std::back_inserter(again));
    if (!again.empty() || running_.empty()) {
        suspect(again.empty() ? std::vector(compiled.begin(), compiled.end()) : again);
    } else {
        suspect({running_});
        doubtful_ = compiled;
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

void SupervisedTuning::count_futile(const std::string& reason) {
    if (++futile_ == kMostFutile) {
        throw Error(ErrorKind::device,
                    fmt::format("tuning in a worker process: {} in a row have ended before they "
                                "had tried a candidate: {}",
                                kMostFutile, reason));
    }
    log_.info("a worker has ended early ({}); another takes its place", reason);
}

}  // namespace jitune::internal
