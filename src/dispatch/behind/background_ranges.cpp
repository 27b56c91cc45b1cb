// SPDX-License-Identifier: Apache-2.0
// Background: winners for the sizes around those that it has tuned.
#include <algorithm>

#include "dispatch/behind/background.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

Background::Place Background::hurry_around(const Watched& wanted) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(watched_.begin(), watched_.end(), [&](const Place& one) {
        return one->own && one->key == wanted.key &&
               one->own->around.contains(wanted.problem.sizes);
    });
    const bool is_there = found != watched_.end() && thread_.joinable();
    // No call waits for the comparisons under way, unless for those.
    gives_way_ = gives_way_ || !is_there || found->get() != widened_;
    if (!is_there) {
        return nullptr;
    }
    (*found)->is_urgent = true;
    (*found)->until = wanted.until;
    (*found)->due = {};
    has_news_ = true;
    wake_.notify_one();
    return *found;
}

int Background::rank(const Watched& watched) const {
    if (watched.is_urgent) {
        return 0;
    }
    if (!watched.wants_tuning) {
        return watched.own ? 2 : 4;
    }
    // The winners around others may serve this one.
    const bool may_be_served = std::any_of(watched_.begin(), watched_.end(), [&](const auto& one) {
        return one->own && one->key == watched.key &&
               one->own->around.contains(watched.problem.sizes);
    });
    return may_be_served ? 3 : 1;
}

void Background::widen(Watched& watched) {
    bool is_urgent = false;
    std::shared_ptr<const OwnTuning> own;
    {
        const std::lock_guard lock(mutex_);
        is_urgent = watched.is_urgent;
        own = watched.own;
        widened_ = &watched;
        gives_way_ = stop_.load();
    }
    bool is_done = true;
    CallGap gap;
    try {
        with_task(watched, [&](const Task& task) {
            TuneHooks hooks = hooks_for(watched, gives_way_, is_urgent ? nullptr : &gap);
            hooks.may_compare = [&] {
                return is_free(watched) && (!hooks.has_turn || hooks.has_turn());
            };
            if (auto answer = answers_.widened(task, *own, hooks)) {
                replace(watched, task, std::move(answer));
            } else {
                is_done = false;
            }
        });
    } catch (const std::exception& error) {
        is_done = !gives_way_;
        log_.info("no winners for the sizes around: {}", error.what());
    }
    const std::lock_guard lock(mutex_);
    widened_ = nullptr;
    if (is_done) {
        watched.own.reset();
        watched.is_urgent = false;
    } else if (!watched.is_urgent) {
        watched.due = time_.now() + kTurnGlance;
    }
    if (is_done && options_.on_miss == TunePolicy::now) {
        forget(watched);
    }
    tried_.notify_all();
}

}  // namespace jitune::internal
