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

/// Distributes the problems of a sweep over devices. Each class of devices gets all problems, and
/// each problem goes to one device of the class, because its devices share their winners. Problems
/// with the same winner are not worked on at the same time. Thread-safe, with one thread for each
/// device. Problems and devices are counted from 0.
class ProblemQueue {
public:
    /// `keys`: one for each problem, equal if problems have the same winner. `classes`: the
    /// class of each device.
    ProblemQueue(std::vector<std::string> keys, std::vector<std::string> classes);

    /// The number of problems of all classes together.
    [[nodiscard]] std::size_t size() const { return size_; }

    /// The next problem for `device`, in the order of the keys or of replace(). Waits while another
    /// device of its class works on a problem with the same winner, or may still hand one back.
    /// Nothing if no problem can come any more, or once the queue is closed. The device must
    /// finish a problem or hand it back before it takes the next one.
    std::optional<std::size_t> take(std::size_t device);

    /// `device` is done with the problem that it has taken.
    void finish(std::size_t device);

    /// `device` could not work on the problem that it has taken. True if another device of its
    /// class will try; false if each has tried, and the problem then counts as finished.
    bool hand_back(std::size_t device);

    /// From now on the class of `device` gets only these problems, in this order, without those
    /// that are taken or done.
    void replace(std::size_t device, const std::vector<std::size_t>& problems);

    /// From now on take() returns nothing.
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
        std::set<std::size_t> done = {};
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
