// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

namespace jitune::internal {

/// One T for each thread, made at its first use and destroyed at the end of the thread. A later
/// use, from an exit handler or from the destructor of another object, gets a T that is never
/// destroyed.
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

    /// A T that is never destroyed. A list of all of them keeps leak checkers quiet.
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

    // Without destructors, so that they can be used until the thread ends.
    static inline constinit thread_local T* place_ = nullptr;
    static inline constinit thread_local bool over_ = false;
    static inline std::atomic<Late*> late_{nullptr};
};

}  // namespace jitune::internal
