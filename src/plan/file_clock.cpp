// SPDX-License-Identifier: Apache-2.0
#include "plan/file_clock.hpp"

#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

FileClock::FileClock(const SharedFolder& folder, std::string name, const TimeSource& source)
    : folder_(folder), source_(source), name_(std::move(name)) {
    read();
}

FileClock::~FileClock() {
    try {
        folder_.remove(name_);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the folder has gone
    }
}

std::int64_t FileClock::read() {
    folder_.touch(name_);  // others may have removed it
    static_cast<void>(folder_.beat(name_));
    if (const auto facts = folder_.facts(name_)) {
        read_ns_ = facts->changed_ns;
        read_at_ = source_.now();
    }
    return read_ns_;
}

std::int64_t FileClock::seconds() const {
    using std::chrono::nanoseconds;
    const nanoseconds passed = source_.now() - read_at_;
    return (read_ns_ + passed.count()) / 1'000'000'000;
}

}  // namespace jitune::internal
