// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace jitune::internal {

/// Shares the problems of a sweep out over devices. Devices of one class share their winners, so
/// that each problem is for one of them, and problems that have one winner are not worked on at the
/// same time; each class gets all problems. Thread-safe: one thread for each device. Problems and
/// devices are counted from 0.
class ProblemQueue {
public:
    /// `keys`: of each problem, equal where problems have one winner. `classes`: of each device.
    ProblemQueue(std::vector<std::string> keys, std::vector<std::string> classes);

    /// Problems of all classes together.
    [[nodiscard]] std::size_t size() const { return size_; }

    /// The next problem for `device`, in their order. Waits while another of its class is about one
    /// with the same winner or may still hand one back; nothing where that cannot be, or once the
    /// queue is closed. Each problem taken is to be finished or handed back before the next.
    std::optional<std::size_t> take(std::size_t device);

    /// `device` is done with what it has taken.
    void finish(std::size_t device);

    /// `device` could not work on what it has taken: true where another of its class will try.
    /// False where each has, and the problem then counts as finished.
    bool hand_back(std::size_t device);

    /// take() gives nothing from now on.
    void close();

private:
    struct Item {
        std::size_t problem = 0;
        std::set<std::size_t> tried = {};  ///< devices that have handed it back
    };
    struct Class {
        std::size_t devices = 0;
        std::deque<Item> waiting = {};
        std::map<std::size_t, Item> taken = {};  ///< by device
    };

    /// Whether `device` may begin with `item` now.
    [[nodiscard]] bool is_free(const Class& mine, const Item& item, std::size_t device) const;
    Class& class_of(std::size_t device) { return classes_.at(class_names_.at(device)); }

    const std::vector<std::string> keys_;
    const std::vector<std::string> class_names_;
    std::map<std::string, Class> classes_;
    std::size_t size_ = 0;
    bool closed_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace jitune::internal
