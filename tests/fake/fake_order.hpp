// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace jitune::internal {

/// Finds accesses to the same memory by two streams that no event and no wait of the host puts in
/// order, by vector clocks: C. Fidge, "Timestamps in message-passing systems that preserve the
/// partial ordering" (1988).
class FakeOrder {
public:
    /// Nothing is watched before it is told to.
    void watch(bool on) { watching_ = on; }

    /// `stream` reads or writes bytes at `address` next.
    void access(unsigned long long stream, std::uint64_t address, std::size_t bytes, bool writes,
                const std::string& what);
    void record(const void* event, unsigned long long stream);
    void wait(unsigned long long stream, const void* event);
    /// The host has waited for all of `stream`: whatever is enqueued from now on comes after it.
    void host_waits(unsigned long long stream);
    /// Each of the streams goes on after all that the others have.
    void meet(std::span<const unsigned long long> streams);

    [[nodiscard]] const std::vector<std::string>& races() const { return races_; }

private:
    /// How many accesses of each stream have happened before.
    using Clock = std::map<unsigned long long, int>;
    struct Access {
        unsigned long long stream;
        int tick;
        std::uint64_t begin, end;
        bool writes;
        std::string what;
    };

    static void merge(Clock& into, const Clock& from);

    bool watching_ = false;
    Clock host_;
    std::map<unsigned long long, Clock> streams_;
    std::map<const void*, Clock> events_;
    std::vector<Access> accesses_;
    std::vector<std::string> races_;
};

}  // namespace jitune::internal
