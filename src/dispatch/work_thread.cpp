// SPDX-License-Identifier: Apache-2.0
#include "dispatch/work_thread.hpp"

#include <sys/resource.h>

#include "support/thread_signals.hpp"

namespace jitune::internal {

bool WorkThread::wake() {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
    changed_.notify_one();
    if (!stop_ && !thread_.joinable()) {
        const SignalsBlocked blocked;
        try {
            thread_ = std::thread([this] { serve(); });
        } catch (const std::system_error& error) {
            refused_(error);
        }
    }
    return thread_.joinable();
}

void WorkThread::stop() {
    std::thread thread;
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        thread = std::move(thread_);
    }
    changed_.notify_one();
    if (thread.joinable()) {
        thread.join();
    }
}

bool WorkThread::is_started() {
    const std::lock_guard lock(mutex_);
    return thread_.joinable();
}

void WorkThread::serve() {
    id_ = std::this_thread::get_id();
    if (habits_.nice != 0) {
        ::setpriority(PRIO_PROCESS, 0, habits_.nice);  // on Linux: of this thread
    }
    Time sleep{0};
    std::unique_lock lock(mutex_);
    while (!stop_) {
        changed_.wait_for(lock, sleep, [&] { return stop_ || has_news_; });
        if (has_news_) {
            changed_.wait_for(lock, habits_.settle, [&] { return stop_; });
        }
        has_news_ = false;
        if (!stop_) {
            lock.unlock();
            sleep = work_();
            lock.lock();
        }
    }
}

}  // namespace jitune::internal
