// SPDX-License-Identifier: Apache-2.0
#include "dispatch/engine.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "dispatch/answer/explanation.hpp"
#include "dispatch/session_options.hpp"
#include "tuner_db/winners/coverage.hpp"
#include "tuning/isolation/compiler_pool.hpp"
#include "tuning/isolation/worker_command.hpp"

namespace jitune::internal {

namespace {

/// Options::worker says whether and where there is a command that compiles.
std::vector<std::unique_ptr<Platform>> platforms_of(const Options& options) {
    FindCommand find;
    if (options.worker != kNoWorker) {
        find = [named = options.worker] { return find_worker(named, usual_workers()); };
    }
    return make_platforms(Log(options.log_level, options.log_sink), find);
}

constexpr std::chrono::milliseconds kNoPatience{0};
constexpr int kLastCompile = 20;  // this part of a budget

/// Says why a handle is prepared without tuning. Throws the error of a tuning that found no right
/// candidate: the default was one of them.
void explain_or_throw(const std::exception_ptr& reason, const Log& log) {
    try {
        std::rethrow_exception(reason);
    } catch (const std::exception& known) {
        const auto* const error = dynamic_cast<const Error*>(&known);
        if (error != nullptr && error->kind() == ErrorKind::verify) {
            throw;
        }
        log.warning("a handle is prepared without tuning: {}", known.what());
    }
}

}  // namespace

Engine::Engine(const Options& options, std::span<const Family> families)
    : Engine(options, platforms_of(checked(options)), families) {}

Engine::Engine(Options options, std::vector<std::unique_ptr<Platform>> platforms,
               std::span<const Family> families, const TimeSource& time)
    : keeps_host_data_(runs_on_cpu(options.device)),
      options_(checked(std::move(options))),
      log_(options_.log_level, options_.log_sink),
      platforms_(std::move(platforms)),
      families_(families),
      time_(time),
      store_(options_, log_),
      tuner_(options_, log_, fork_guard_, store_, time_),
      watch_(std::make_unique<WinnerWatch>(options_, log_, store_)),
      recorder_(std::make_unique<CallRecorder>(options_, log_, store_, *watch_)),
      answers_(families_, tuner_, *recorder_),
      background_(std::make_unique<Background>(families_, tuner_, answers_, table_, *recorder_)) {}

Engine::~Engine() {
    finish();
    if (fork_guard_.forked()) {  // their threads are the parent's
        static_cast<void>(background_.release());
        static_cast<void>(recorder_.release());
        static_cast<void>(watch_.release());
    }
}

void Engine::finish() {
    if (fork_guard_.forked()) {
        return;
    }
    background_->stop();
    recorder_->stop();
    if (unserved_ > 0) {
        log_.warning(
            "the frozen table did not serve {} problem{}; the template's defaults answered: tune "
            "them ahead with `jitune sweep`",
            unserved_.load(), unserved_ == 1 ? "" : "s");
    }
}

std::string Engine::table_digest() const {
    refuse_fork();
    if (options_.database.empty()) {
        throw Error(ErrorKind::store,
                    "the digest of the table: the session has no database, because its winners "
                    "are kept in memory only: name one with JITUNE_DB or Options::database");
    }
    const auto store = TuningStore::open(options_.database, TuningStore::Access::read_only, log_);
    return internal::table_digest(store->winners());
}

std::vector<DeviceDescription> Engine::devices() {
    refuse_fork();
    std::vector<DeviceDescription> result;
    for (const auto& platform : platforms_) {
        for (int i = 0; i < platform->device_count(); ++i) {
            const DeviceInfo& info = platform->device(i).info();
            result.push_back({info.id, info.name, info.device_class, info.driver, ""});
        }
        if (platform->device_count() == 0) {
            result.push_back(
                {std::string(to_string(platform->kind())), "", "", "", platform->missing()});
        }
    }
    return result;
}

Platform& Engine::platform(PlatformKind kind, std::string_view advice) {
    for (const auto& platform : platforms_) {
        if (platform->kind() == kind) {
            if (platform->device_count() == 0) {
                throw Error(
                    ErrorKind::unavailable,
                    fmt::format("no {} device: {}{}", to_string(kind), platform->missing(), advice),
                    platform->missing_code());
            }
            return *platform;
        }
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("this build of jitune has no {} backend", to_string(kind)));
}

Platform& Engine::find(std::atomic<Platform*>& place, PlatformKind kind) {
    Platform& found = platform(
        kind, runs_on_gpu(kind) ? "; data in host memory need the device \"host\", formulas "
                                  "over them on_host(...)"
                                : "");
    place.store(&found, std::memory_order_release);
    return found;
}

Device& Engine::first_device() {
    refuse_fork();
    for (const auto& platform : platforms_) {
        if (platform->device_count() > 0) {
            return platform->device(0);
        }
    }
    throw Error(ErrorKind::unavailable, "no device found, not even the host");
}

Device& Engine::device(std::string_view id) {
    refuse_fork();
    const auto [kind, ordinal] = parse_device_id(id);
    Platform& found = platform(kind);
    if (ordinal >= found.device_count()) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("no device {}: there are {} of that kind, counted from 0", id,
                                found.device_count()));
    }
    return found.device(ordinal);
}

void Engine::count_unserved(const Resolved& answer) {
    const bool is_by_default = answer.winner != Digest{} && answer.reason.empty();
    if (options_.frozen && is_default(answer.info.origin) && !is_by_default) {
        ++unserved_;
    }
}

Counters Engine::counters() const {
    Counters counters{.compiles = tuner_.compiles(),
                      .tunings = tuner_.tunings(),
                      .loads = answers_.loads(),
                      .store_errors = store_.errors(),
                      .unserved = unserved_,
                      .pending = background_->queue().pending(),
                      .replaced = background_->replaced(),
                      .sampled = watch_->sampled(),
                      .doubted = watch_->doubted(),
                      .raced = tuner_.raced()};
    recorder_->report(counters);
    return counters;
}

const Resolved& Engine::resolve(const DispatchKey& key, const Task& task) {
    refuse_fork();
    refuse_sink();
    const auto start = time_.now();
    const Resolved& answer = this->answer(key, task, start);
    recorder_->note_pause(task, answer, time_.now() - start);
    return answer;
}

const Engine::Source Engine::kSources[] = {{&Engine::from_pinned, nullptr},
                                           {&Engine::from_store, &foretell_stored},
                                           {&Engine::from_tuning, &foretell_tuning},
                                           {&Engine::from_nearest, &foretell_nearest},
                                           {&Engine::from_default, &foretell_default}};

Foretold Engine::foretell(const Task& task) {
    std::optional<Foretold> found;
    for (const auto* source = std::begin(kSources); !found; ++source) {
        found =
            source->foretell == nullptr ? std::nullopt : source->foretell(store_, options_, task);
    }
    return *found;
}

const Resolved& Engine::answer(const DispatchKey& key, const Task& task, Clock::time_point start) {
    // The thread that tunes must not wait for a call, which may be waiting for it.
    std::optional<SingleFlight::Claim> claim;
    if (!background_->is_own_thread()) {
        claim.emplace(flights_, key);
    }
    const Sizes& sizes = task.problem.sizes;
    if (const Resolved* found = table_.find(key, sizes)) {
        return *found;
    }
    const Resolved* const makeshift = makeshifts_.find(key, sizes);
    try {
        task.check();
        Miss miss{key, task, start, makeshift != nullptr};
        const Resolved* found = nullptr;
        for (const auto* source = std::begin(kSources); found == nullptr; ++source) {
            found = (this->*source->answer)(miss);
        }
        return *found;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) {
            throw;
        }
        if (makeshift != nullptr) {
            return *makeshift;
        }
        log_.warning("{}; the template's default answers until the database can be read",
                     error.what());
    }
    const Resolved& answer = makeshifts_.add(key, sizes, answers_.makeshift(task));
    count_unserved(answer);
    return answer;
}

const Resolved* Engine::from_pinned(Miss& miss) {
    return keep(miss, answers_.pinned(miss.task));
}

const Resolved* Engine::from_store(Miss& miss) {
    return keep(miss, answers_.stored(miss.task, miss.unusable,
                                      miss.has_makeshift ? kNoPatience : answers_.patience()));
}

const Resolved* Engine::from_nearest(Miss& miss) {
    return keep(miss, answers_.nearest(miss.task));
}

const Resolved* Engine::from_default(Miss& miss) {
    return keep(miss, answers_.standard(miss.task));
}

const Resolved* Engine::keep(const Miss& miss, std::unique_ptr<Resolved> answer) {
    if (answer == nullptr) {
        return nullptr;
    }
    const Task& task = miss.task;
    if (answer->reason.empty()) {
        answer->reason = miss.reason;
    }
    const Resolved& kept = table_.add(miss.key, task.problem.sizes, std::move(answer));
    if (!miss.has_makeshift) {  // else it was counted as a makeshift
        count_unserved(kept);
    }
    if (task.can_gain()) {
        recorder_->note(task, kept);
        if (options_.on_miss == TunePolicy::background) {
            background_->watch(miss.key, task, kept);
        }
    }
    return &kept;
}

const Resolved* Engine::from_tuning(Miss& miss) {
    auto& [key, task, start, has_makeshift, unusable, reason] = miss;
    if (options_.on_miss != TunePolicy::now || !task.can_gain()) {
        return nullptr;
    }
    const auto budget = options_.budget;
    const auto until = budget.count() == 0 ? std::nullopt : std::optional(start + budget);
    Background::Place place;
    TuningQueue::Outcome outcome;
    // A search around other sizes may come first, and may find no winner for these.
    for (int turn = 0; turn < 2; ++turn) {
        place = background_->submit(key, task, unusable, until);
        if (place == nullptr) {
            return nullptr;
        }
        // The tuning ends within the budget, but for a last compile that takes longer than usual.
        outcome = background_->queue().wait(
            place, until ? std::optional(*until + budget / kLastCompile) : std::nullopt);
        if (!outcome.is_tuned) {
            break;
        }
        if (const Resolved* const winner = table_.find(key, task.problem.sizes)) {
            return winner;
        }
    }
    background_->queue().relax(place);
    if (outcome.error) {
        explain_failure(place, outcome.error);
        return nullptr;
    }
    auto incumbent = from_incumbent(task, outcome);
    reason = fmt::format("not tuned within {} ms", budget.count());
    log_.info("{} is {}: {} answers meanwhile", task.name(), reason,
              incumbent != nullptr ? "the best so far" : "another answer");
    return keep(miss, std::move(incumbent));
}

std::unique_ptr<Resolved> Engine::from_incumbent(const Task& task,
                                                 const TuningQueue::Outcome& outcome) {
    if (outcome.incumbent && outcome.incumbent->beats_default()) {
        return answers_.from_incumbent(task, *outcome.incumbent);
    }
    if (outcome.incumbent &&
        outcome.incumbent->configuration == task.default_configuration().text()) {
        // This keeps the default, which answers then, from being compiled once more.
        tuner_.binaries().remember(task, task.instance(task.default_configuration()),
                                   outcome.incumbent->binary);
    }
    return nullptr;
}

void Engine::explain_failure(const Background::Place& place, const std::exception_ptr& reason) {
    try {
        std::rethrow_exception(reason);
    } catch (const Error& error) {
        // The default was among the candidates: if none of them was right, it is no answer. It is
        // none either if the database could not be read, because the winner may be read later.
        if (error.kind() == ErrorKind::device || error.kind() == ErrorKind::verify ||
            error.kind() == ErrorKind::store || dynamic_cast<const NoWorker*>(&error) != nullptr) {
            background_->queue().forget(*place);
            throw;
        }
        log_.warning("{}; an answer without tuning serves", error.what());
    }
}

const Resolved& Engine::prepared(const DispatchKey& key, std::span<const std::int64_t> sizes,
                                 const Resolved& answer) {
    const auto place = options_.on_miss == TunePolicy::background ? background_->hurry(key, sizes)
                                                                  : Background::Place();
    if (place == nullptr) {
        return answer;
    }
    // A tuning of low priority, which tries candidates for one budget.
    const auto budget = options_.budget;
    const auto outcome = background_->queue().wait(
        place, budget.count() == 0 ? std::nullopt : std::optional(time_.now() + 2 * budget));
    background_->queue().relax(place);
    if (outcome.error) {
        explain_or_throw(outcome.error, log_);
    }
    const Resolved* const winner = outcome.is_tuned ? table_.find(key, sizes) : nullptr;
    return winner != nullptr ? *winner : answer;
}

}  // namespace jitune::internal
