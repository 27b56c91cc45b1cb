// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

namespace jitune::internal {

/// One T for each thread, made when it is first asked for and destroyed with the thread's objects.
/// Who asks after that, from an exit handler or another object's destructor, gets one that stays.
template <class T>
class ThreadOwn {
public:
    static T& here() { return place_ != nullptr ? *place_ : make(); }

private:
    struct Owner {
        ~Owner() {
            over_ = true;
            delete std::exchange(place_, nullptr);
        }
    };

    /// One that stays, in a list of all of them: nothing is lost.
    struct Late {
        T own;
        Late* next = nullptr;
    };

    static T& make() {
        if (over_) {
            auto* const late = new Late;
            late->next = late_.exchange(late);
            place_ = &late->own;
            return *place_;
        }
        place_ = new T;
        thread_local const Owner owner;
        static_cast<void>(owner);
        return *place_;
    }

    // Without destructors, so that they can be asked to the end.
    static inline constinit thread_local T* place_ = nullptr;
    static inline constinit thread_local bool over_ = false;
    static inline std::atomic<Late*> late_{nullptr};
};

}  // namespace jitune::internal
