// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "plan/shared_folder.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

/// The clock that the times of files in a folder come from: on NFS the server's, on a local file
/// system the machine's. This process's own clock is never asked what time it is, since it may be
/// any. Used by one thread.
class FileClock {
public:
    /// Makes a file of that name in `folder`, which must outlive the clock and the file is removed
    /// from at its end.
    FileClock(const SharedFolder& folder, std::string name,
              const TimeSource& source = kMachineTime);
    ~FileClock();
    FileClock(const FileClock&) = delete;
    FileClock& operator=(const FileClock&) = delete;

    /// Nanoseconds since 1970, by writing the file. Throws Error(store).
    std::int64_t read();

    /// The time of the last read() and what has passed since, in seconds.
    [[nodiscard]] std::int64_t seconds() const;

private:
    const SharedFolder& folder_;
    const TimeSource& source_;
    std::string name_;
    std::int64_t read_ns_ = 0;
    TimeSource::Clock::time_point read_at_;
};

}  // namespace jitune::internal
