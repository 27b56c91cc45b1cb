// SPDX-License-Identifier: Apache-2.0
#include "dispatch/background.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "jitune/error.hpp"
#include "support/signals_blocked.hpp"
#include "tuning/device_lock.hpp"
#include "tuning/isolation/isolation.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kGlance{500};  // between looks for winners of other processes
constexpr seconds kIdleTime{1};       // of a GPU, before a tuning
constexpr int kMostFailures = 3;

/// After how many failures a problem is tried again when.
seconds pause_after(int failures) {
    return seconds(failures == 1 ? 10 : 60);
}

/// A reason that another time may not have.
bool may_pass(const Error& error) {
    return error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::store ||
           error.kind() == ErrorKind::device;
}

}  // namespace

void Background::watch(const DispatchKey& key, const Task& task, const Resolved& answer) {
    if (task.kernel.spec.empty() || !task.problem.pinned.empty() || stop_) {
        return;
    }
    const bool is_winner = answer.winner != Digest{};
    auto place = std::make_shared<Watched>(
        Watched{key, task.device, task.kernel.spec, task.problem, answer.winner, !is_winner});
    const std::lock_guard lock(mutex_);
    watched_.push_back(std::move(place));
    count_pending();
    start();
    has_news_ = true;
    wake_.notify_one();
}

void Background::start() {
    if (thread_.joinable() || stop_) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
        log_.warning("no thread for tuning in the background ({}); the next miss tries again",
                     error.what());
    }
}

void Background::stop() {
    std::thread thread;
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        thread = std::move(thread_);
    }
    wake_.notify_one();
    if (thread.joinable()) {
        thread.join();
    }
}

void Background::serve() {
    ::setpriority(PRIO_PROCESS, 0, kBackgroundNice);  // on Linux: of this thread
    std::unique_lock lock(mutex_);
    while (!stop_) {
        wake_.wait_for(lock, kGlance, [&] { return stop_ || has_news_; });
        has_news_ = false;
        lock.unlock();
        work();
        lock.lock();
    }
}

void Background::work() {
    try {
        if (!stop_) {
            look_for_winners();
            tune_next();
        }
    } catch (const std::exception& error) {  // such as a lack of memory: calls go on without
        log_.info("tuning in the background: {}; the next look tries again", error.what());
    }
}

std::vector<Background::Place> Background::all() {
    const std::lock_guard lock(mutex_);
    return watched_;
}

void Background::count_pending() {
    pending_ = std::count_if(watched_.begin(), watched_.end(),
                             [](const Place& one) { return one->wants_tuning; });
}

template <class Work>
void Background::with_task(const Watched& watched, const Work& work) {
    const Kernel kernel = make_kernel(families_, watched.kernel);
    work(Task{watched.device, kernel, watched.problem});
}

void Background::look_for_winners() {
    const auto version =
        store_.ask([](TuningStore& store) { return std::optional(store.version()); });
    if (!version || version == seen_version_) {
        return;
    }
    seen_version_ = version;
    for (const Place& place : all()) {
        if (stop_) {
            return;
        }
        look(*place);
    }
}

void Background::look(Watched& watched) {
    try {
        with_task(watched, [&](const Task& task) {
            if (auto answer = answers_.stored(task, watched.winner)) {
                replace(watched, std::move(answer));
            }
        });
    } catch (const Error& error) {
        log_.info("{}; the next look tries again", error.what());
        seen_version_.reset();
    }
}

void Background::tune_next() {
    const auto now = Clock::now();
    for (const Place& place : all()) {
        if (!place->wants_tuning || place->due > now) {
            continue;
        }
        std::unique_ptr<FileLock>& lock = lock_of(place->device.info());
        if (!is_free(place->device) || !take(lock)) {
            continue;  // where another process tunes on it, this one looks for winners
        }
        tune(*place);
        if (lock != nullptr) {
            lock->release();
        }
        const std::lock_guard guard(mutex_);
        count_pending();
        has_news_ = has_news_ || pending_ > 0;
        return;
    }
}

void Background::tune(Watched& watched) {
    try {
        with_task(watched, [&](const Task& task) {
            const TuneHooks hooks{.stop = &stop_, .background = true};
            auto answer = answers_.tuned(task, watched.winner, hooks);
            log_.info("tuned {} in the background", task.name());
            replace(watched, std::move(answer));
        });
    } catch (const Error& error) {
        fail(watched, error);
    } catch (const std::exception& error) {
        fail(watched, Error(ErrorKind::unavailable, error.what()));
    }
}

void Background::fail(Watched& watched, const Error& error) {
    if (stop_) {
        return;
    }
    ++watched.failures;
    watched.due = Clock::now() + pause_after(watched.failures);
    const bool again = may_pass(error) && watched.failures < kMostFailures;
    log_.warning("{}; {} the answer without tuning stays", error.what(),
                 again ? "until a later try in the background" : "no more tries:");
    const std::lock_guard lock(mutex_);
    watched.wants_tuning = again;
}

void Background::replace(Watched& watched, std::unique_ptr<const Resolved> answer) {
    const std::lock_guard lock(mutex_);
    const bool gone = std::none_of(watched_.begin(), watched_.end(),
                                   [&](const Place& one) { return one.get() == &watched; });
    if (gone) {  // with an answer of its key that was replaced; calls ask anew
        return;
    }
    watched.winner = answer->winner;
    watched.wants_tuning = false;
    // Calls for other sizes that the replaced answers served find none, and come back here.
    std::erase_if(watched_, [&](const Place& one) {
        return one.get() != &watched && one->key == watched.key;
    });
    table_.replace(watched.key, std::move(answer));
    ++replaced_;
    count_pending();
}

bool Background::is_free(Device& device) {
    constexpr double kIdle = 0.02;
    if (options_.tune_on_busy_gpu || device.info().platform == PlatformKind::host) {
        return true;  // on the host, low priority gives way
    }
    const auto share = device.utilization();
    const auto [use, is_new] = uses_.try_emplace(&device);
    if (is_new && !share) {
        log_.warning(
            "the driver does not say whether {} is busy: problems on it are not tuned in "
            "the background; JITUNE_TUNE_BUSY=1 allows it",
            device.info().id);
    }
    const auto now = Clock::now();
    std::optional<Clock::time_point>& idle_since = use->second;
    idle_since =
        share && *share <= kIdle ? idle_since.value_or(now) : std::optional<Clock::time_point>();
    return idle_since && now - *idle_since >= kIdleTime;
}

std::unique_ptr<FileLock>& Background::lock_of(const DeviceInfo& device) {
    const std::string name = device.uuid.empty() ? device.id : device.uuid;
    const auto [place, is_new] = locks_.try_emplace(name);
    if (is_new) {
        try {
            place->second =
                std::make_unique<FileLock>(lock_folders(), "jitune-background-" + name + ".lock");
        } catch (const Error& error) {
            log_.warning("{}; other processes may tune in the background, too", error.what());
        }
    }
    return place->second;
}

bool Background::take(std::unique_ptr<FileLock>& lock) {
    try {
        return lock == nullptr || lock->acquire(milliseconds(0));
    } catch (const Error& error) {
        log_.warning("{}; other processes may tune in the background, too", error.what());
        lock.reset();
        return true;
    }
}

}  // namespace jitune::internal
