// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "plan/shared_folder.hpp"

namespace jitune::internal {

/// The clock that the times of files in a folder come from: on NFS the server's, on a local file
/// system the machine's. The time of this process's own clock is never used, because it may be
/// wrong. Used by one thread.
class FileClock {
public:
    /// Makes a file of that name in `folder`, which must outlive the clock. The end of the clock
    /// removes the file.
    FileClock(const SharedFolder& folder, std::string name);
    ~FileClock();
    FileClock(const FileClock&) = delete;
    FileClock& operator=(const FileClock&) = delete;

    /// Nanoseconds since 1970, by writing the file. Throws Error(store).
    std::int64_t read();

    /// The time of the last read() and what has passed since, in seconds.
    [[nodiscard]] std::int64_t seconds() const;

private:
    const SharedFolder& folder_;
    std::string name_;
    std::int64_t read_ns_ = 0;
    std::chrono::steady_clock::time_point read_at_;
};

}  // namespace jitune::internal
