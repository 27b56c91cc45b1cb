// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jitune::internal {

/// Runs functions on threads that it keeps for the next call. Thread-safe.
class ThreadPool {
public:
    ThreadPool() = default;
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Calls work(0) to work(count - 1) and returns when all have returned. The calling thread
    /// takes part; calls run at the same time as far as the system gives threads, else one after
    /// the other. Throws the first exception that a call throws.
    void run(std::size_t count, const std::function<void(std::size_t)>& work);

private:
    struct Batch {
        const std::function<void(std::size_t)>* work;
        std::size_t next = 0;  ///< the first call that has not begun
        std::size_t count;
        std::size_t done = 0;
        std::exception_ptr error = nullptr;
    };

    void serve();
    /// Makes the next call of `batch`. `lock` is held, but not during the call.
    void call_next(Batch& batch, std::unique_lock<std::mutex>& lock);
    /// Starts threads until `wanted` are idle.
    void add_threads(std::size_t wanted);

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Batch*> open_;  // batches with calls that have not begun
    std::size_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace jitune::internal
