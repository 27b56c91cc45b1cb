// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/device_lock.hpp"

#include <cstdlib>

#include "jitune/error.hpp"

namespace jitune::internal {

std::vector<std::filesystem::path> lock_folders() {
    std::vector<std::filesystem::path> result{"/tmp"};
    const char* own = secure_getenv("XDG_RUNTIME_DIR");
    if (own != nullptr && *own == '/') {
        result.emplace_back(own);
    }
    return result;
}

DeviceLock::DeviceLock(const std::string& uuid, const Log& log, std::chrono::milliseconds patience)
    : log_(log), patience_(patience), needed_(!uuid.empty()) {
    if (!needed_) {
        return;
    }
    try {
        file_.emplace(lock_folders(), "jitune-" + uuid + ".lock");
    } catch (const Error& error) {
        log_.warning("{}: other tunings may use the device while candidates are timed",
                     error.what());
    }
}

DeviceLock::Turn::~Turn() {
    if (lock_.file_) {
        lock_.file_->release();
    }
}

DeviceLock::Turn DeviceLock::turn() {
    return {*this, !needed_ || (file_ && acquire())};
}

bool DeviceLock::acquire() {
    try {
        // After one wait that was not long enough, later turns do not wait again.
        const bool alone = file_->acquire(crowded_ ? std::chrono::milliseconds(0) : patience_);
        if (!alone && !crowded_) {
            log_.warning(
                "{}: another process has held the device for {} ms; candidates are timed while it "
                "does",
                file_->path().string(), patience_.count());
        }
        crowded_ = !alone;
        return alone;
    } catch (const Error& error) {
        log_.warning("{}: {}; candidates are timed without a lock", file_->path().string(),
                     error.what());
        file_.reset();
        return false;
    }
}

}  // namespace jitune::internal
