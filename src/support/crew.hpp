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

/// Threads that are kept from one piece of work to the next. Thread-safe.
class Crew {
public:
    Crew() = default;
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Calls work(0) to work(count - 1) and returns when all have returned. The calling thread
    /// takes part; the others run at the same time as far as threads are to be had. Throws what the
    /// first of them to throw has thrown. Of the system's refusal of a thread nothing is seen but
    /// the time it takes.
    void run(std::size_t count, const std::function<void(std::size_t)>& work);

private:
    struct Batch {
        const std::function<void(std::size_t)>* work;
        std::size_t next = 0;  ///< to be begun
        std::size_t count;
        std::size_t done = 0;
        std::exception_ptr error = nullptr;
    };

    void serve();
    /// With the lock, which is not held during the work.
    void do_one(Batch& batch, std::unique_lock<std::mutex>& lock);
    void hire(std::size_t wanted);

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Batch*> open_;  // that have work to be begun
    std::size_t idle_ = 0;
    bool over_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace jitune::internal
