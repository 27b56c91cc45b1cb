// SPDX-License-Identifier: Apache-2.0
#include "support/thread_pool.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace jitune::internal {

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (count == 0) {
        return;
    }
    Batch batch{.work = &work, .next = 0, .count = count};
    std::unique_lock lock(mutex_);
    if (count > 1) {
        open_.push_back(&batch);
        add_threads(count - 1);
        wake_.notify_all();
    }
    while (batch.next < batch.count) {
        call_next(batch, lock);
    }
    done_.wait(lock, [&] { return batch.done == batch.count; });
    if (batch.error != nullptr) {
        std::rethrow_exception(batch.error);
    }
}

void ThreadPool::call_next(Batch& batch, std::unique_lock<std::mutex>& lock) {
    const std::size_t index = batch.next++;
    if (batch.next == batch.count) {
        std::erase(open_, &batch);
    }
    lock.unlock();
    std::exception_ptr error;
    try {
        (*batch.work)(index);
    } catch (...) {
        error = std::current_exception();
    }
    lock.lock();
    if (batch.error == nullptr) {
        batch.error = std::move(error);
    }
    if (++batch.done == batch.count) {
        done_.notify_all();
    }
}

void ThreadPool::add_threads(std::size_t wanted) {
    try {
        for (std::size_t idle = idle_; idle < wanted; ++idle) {
            threads_.emplace_back([this] { serve(); });
        }
    } catch (const std::exception&) {  // the system has no thread, or no memory, to give
        // The threads that exist make the calls, one after the other.
    }
}

void ThreadPool::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        wake_.wait(lock, [&] { return stopping_ || !open_.empty(); });
        --idle_;
        if (open_.empty()) {
            return;
        }
        call_next(*open_.front(), lock);
    }
}

}  // namespace jitune::internal
