#pragma once

#include <cstdint>

namespace jitune {

/// Notices that the process is a fork of the one that made this object. Costs one memory read.
class ForkGuard {
public:
    ForkGuard();
    [[nodiscard]] bool forked() const;

private:
    std::uint64_t generation_;
};

}  // namespace jitune
