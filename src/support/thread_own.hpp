// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>

namespace jitune::internal {

/// One T for each thread, made at its first use and destroyed at the end of the thread; that of the
/// main thread lives as long as the process. A use after that end, from an exit handler or from the
/// destructor of another object, makes a new T, which may never be destroyed.
template <class T>
class ThreadOwn {
public:
    static T& here() { return place_ != nullptr ? *place_ : make(); }

private:
    /// Destroys each thread's T. The destructor of a thread_local object would do the same, but
    /// glibc ends the process if it has no memory to register one.
    struct Key {
        Key() { exists_ = pthread_key_create(&key_, destroy) == 0; }
        ~Key() {  // so that no thread calls code of a library that is not loaded any more
            if (exists_.exchange(false)) {
                pthread_key_delete(key_);
            }
        }
    };

    static void destroy(void* own) {
        place_ = nullptr;
        delete static_cast<T*>(own);
    }

    static T& make() {
        static const Key key;
        place_ = new T;
        if (exists_) {  // without a key, or room for its value, this T is never destroyed
            pthread_setspecific(key_, place_);
        }
        return *place_;
    }

    // Without destructors, so that they can be used until the thread ends.
    static inline constinit thread_local T* place_ = nullptr;
    static inline constinit pthread_key_t key_ = 0;
    static inline constinit std::atomic<bool> exists_{false};
};

}  // namespace jitune::internal
