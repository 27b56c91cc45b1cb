// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace jitune::internal {

/// A thread that sleeps until there is work. Thread-safe.
class WorkThread {
public:
    using Time = std::chrono::milliseconds;

    struct Habits {
        Time settle{0};  ///< from wake() to the work, so that several wake() share it
        int nice = 0;    ///< of the thread
    };

    /// Starts no thread yet. The thread calls `work`, which throws nothing, after each wake(), and
    /// when the time is over that the last call has returned. `refused` is told why the system
    /// gives no thread.
    WorkThread(Habits habits, std::function<Time()> work,
               std::function<void(const std::system_error&)> refused)
        : habits_(habits), work_(std::move(work)), refused_(std::move(refused)) {}
    /// As stop().
    ~WorkThread() { stop(); }
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;

    /// Says that there is work, and starts the thread where there is none. Returns false if there
    /// is no thread: after stop(), and where the system gives none.
    bool wake();

    /// Waits until the work under way is over, and ends the thread.
    void stop();

    [[nodiscard]] bool is_started();
    /// True in the thread itself.
    [[nodiscard]] bool is_own() const { return id_ == std::this_thread::get_id(); }

private:
    void serve();

    const Habits habits_;
    const std::function<Time()> work_;
    const std::function<void(const std::system_error&)> refused_;
    std::atomic<std::thread::id> id_{};  ///< of thread_
    std::mutex mutex_;                   ///< of what follows; not held while it works
    std::condition_variable changed_;
    bool has_news_ = false;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace jitune::internal
