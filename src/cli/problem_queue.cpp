#include "cli/problem_queue.hpp"

#include <algorithm>
#include <utility>

namespace jitune {

ProblemQueue::ProblemQueue(std::size_t problems, std::vector<std::string> classes)
    : class_names_(std::move(classes)) {
    for (const std::string& name : class_names_) {
        Class& one = classes_[name];
        ++one.devices;
        if (one.devices == 1) {
            for (std::size_t problem = 0; problem < problems; ++problem) {
                one.waiting.push_back({problem});
            }
        }
    }
    size_ = problems * classes_.size();
}

std::optional<std::size_t> ProblemQueue::take(std::size_t device) {
    std::unique_lock lock(mutex_);
    Class& mine = class_of(device);
    auto found = mine.waiting.end();
    changed_.wait(lock, [&] {
        found = std::find_if(mine.waiting.begin(), mine.waiting.end(),
                             [&](const Item& item) { return !item.tried.contains(device); });
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
    class_of(device).taken.erase(device);
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
    }
    changed_.notify_all();
    return others;
}

void ProblemQueue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

}  // namespace jitune
