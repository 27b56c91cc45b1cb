// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/file_lock.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The folders for lock files that processes of all users share.
std::vector<std::filesystem::path> lock_folders();

/// Lets one tuning at a time use a device, among all processes that see its lock file: work of
/// others on the device would lengthen the times. Used by one thread.
class DeviceLock {
public:
    /// A device without a `uuid` has no lock: each turn is granted at once.
    DeviceLock(const std::string& uuid, const Log& log,
               std::chrono::milliseconds patience = kPatience);
    /// Longer than a tuning holds a device at a time, except with the slowest kernels.
    static constexpr std::chrono::milliseconds kPatience{10'000};

    /// If alone(), the device belongs to the caller for as long as this object lives.
    class Turn {
    public:
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        [[nodiscard]] bool alone() const { return alone_; }

    private:
        friend class DeviceLock;
        Turn(DeviceLock& lock, bool alone) : lock_(lock), alone_(alone) {}

        DeviceLock& lock_;
        bool alone_;
    };

    /// Waits for other tunings, up to the patience; after that it warns, and the turn is not
    /// alone().
    [[nodiscard]] Turn turn();

private:
    bool acquire();

    Log log_;
    std::chrono::milliseconds patience_;
    std::optional<FileLock> file_;
    bool needed_;
    bool crowded_ = false;  // the last wait was not long enough
};

}  // namespace jitune::internal
