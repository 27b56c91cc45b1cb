// SPDX-License-Identifier: Apache-2.0
#include "support/crew.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace jitune::internal {

Crew::~Crew() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (count == 0) {
        return;
    }
    Batch batch{.work = &work, .next = 0, .count = count};
    std::unique_lock lock(mutex_);
    if (count > 1) {
        open_.push_back(&batch);
        hire(count - 1);
        wake_.notify_all();
    }
    while (batch.next < batch.count) {
        do_one(batch, lock);
    }
    done_.wait(lock, [&] { return batch.done == batch.count; });
    if (batch.error != nullptr) {
        std::rethrow_exception(batch.error);
    }
}

void Crew::do_one(Batch& batch, std::unique_lock<std::mutex>& lock) {
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

void Crew::hire(std::size_t wanted) {
    try {
        for (std::size_t idle = idle_; idle < wanted; ++idle) {
            threads_.emplace_back([this] { serve(); });
        }
    } catch (const std::system_error&) {
        // Those there are do it, one piece after the other.
    }
}

void Crew::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        wake_.wait(lock, [&] { return over_ || !open_.empty(); });
        --idle_;
        if (open_.empty()) {
            return;
        }
        do_one(*open_.front(), lock);
    }
}

}  // namespace jitune::internal
