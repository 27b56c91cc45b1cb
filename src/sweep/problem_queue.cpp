// SPDX-License-Identifier: Apache-2.0
#include "sweep/problem_queue.hpp"

#include <algorithm>
#include <utility>

namespace jitune::internal {

ProblemQueue::ProblemQueue(std::vector<std::string> keys, std::vector<std::string> classes)
    : keys_(std::move(keys)), class_names_(std::move(classes)) {
    for (const std::string& name : class_names_) {
        Class& one = classes_[name];
        ++one.devices;
        if (one.devices == 1) {
            for (std::size_t problem = 0; problem < keys_.size(); ++problem) {
                one.waiting.push_back({problem});
            }
        }
    }
    size_ = keys_.size() * classes_.size();
}

bool ProblemQueue::is_free(const Class& mine, const Item& item, std::size_t device) const {
    return !item.tried.contains(device) &&
           std::none_of(mine.taken.begin(), mine.taken.end(), [&](const auto& taken) {
               return keys_[taken.second.problem] == keys_[item.problem];
           });
}

std::optional<std::size_t> ProblemQueue::take(std::size_t device) {
    std::unique_lock lock(mutex_);
    Class& mine = class_of(device);
    auto found = mine.waiting.end();
    changed_.wait(lock, [&] {
        found = std::find_if(mine.waiting.begin(), mine.waiting.end(),
                             [&](const Item& item) { return is_free(mine, item, device); });
        return closed_ || found != mine.waiting.end() || mine.taken.empty();
    });
    if (closed_ || found == mine.waiting.end()) {
        return std::nullopt;
    }
    const std::size_t problem = found->problem;
    mine.taken[device] = std::move(*found);
    mine.waiting.erase(found);
    return problem;
}

void ProblemQueue::finish(std::size_t device) {
    const std::lock_guard lock(mutex_);
    Class& mine = class_of(device);
    if (const auto taken = mine.taken.extract(device)) {  // else each device has handed it back
        mine.done.insert(taken.mapped().problem);
    }
    changed_.notify_all();
}

bool ProblemQueue::hand_back(std::size_t device) {
    const std::lock_guard lock(mutex_);
    Class& mine = class_of(device);
    Item item = std::move(mine.taken.extract(device).mapped());
    item.tried.insert(device);
    const bool others = item.tried.size() < mine.devices;
    if (others) {
        mine.waiting.push_front(std::move(item));
    } else {
        mine.done.insert(item.problem);
    }
    changed_.notify_all();
    return others;
}

void ProblemQueue::replace(std::size_t device, const std::vector<std::size_t>& problems) {
    const std::lock_guard lock(mutex_);
    Class& mine = class_of(device);
    std::map<std::size_t, Item> known;
    for (Item& item : mine.waiting) {
        known[item.problem] = std::move(item);
    }
    mine.waiting.clear();
    for (const std::size_t problem : problems) {
        const bool is_taken =
            std::any_of(mine.taken.begin(), mine.taken.end(),
                        [&](const auto& taken) { return taken.second.problem == problem; });
        if (!is_taken && !mine.done.contains(problem)) {
            const auto found = known.find(problem);
            mine.waiting.push_back(found == known.end() ? Item{problem} : found->second);
        }
    }
    changed_.notify_all();
}

void ProblemQueue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

}  // namespace jitune::internal
