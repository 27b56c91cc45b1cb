// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_order.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

void FakeOrder::merge(Clock& into, const Clock& from) {
    for (const auto& [stream, tick] : from) {
        into[stream] = std::max(into[stream], tick);
    }
}

void FakeOrder::access(unsigned long long stream, std::uint64_t address, std::size_t bytes,
                       bool writes, const std::string& what) {
    if (!watching_ || bytes == 0) {
        return;
    }
    Clock& clock = streams_[stream];
    merge(clock, host_);
    const Access now{stream, ++clock[stream], address, address + bytes, writes, what};
    for (const Access& before : accesses_) {
        if (before.stream != stream && before.begin < now.end && now.begin < before.end &&
            (before.writes || now.writes) && clock[before.stream] < before.tick) {
            races_.push_back(fmt::format("{} on stream {} and {} on stream {}", before.what,
                                         before.stream, what, stream));
        }
    }
    accesses_.push_back(now);
}

void FakeOrder::record(const void* event, unsigned long long stream) {
    events_[event] = streams_[stream];
}

void FakeOrder::wait(unsigned long long stream, const void* event) {
    merge(streams_[stream], events_[event]);
}

void FakeOrder::host_waits(unsigned long long stream) {
    merge(host_, streams_[stream]);
}

void FakeOrder::meet(std::span<const unsigned long long> streams) {
    Clock all;
    for (const unsigned long long stream : streams) {
        merge(all, streams_[stream]);
    }
    for (const unsigned long long stream : streams) {
        merge(streams_[stream], all);
    }
}

}  // namespace jitune::internal
