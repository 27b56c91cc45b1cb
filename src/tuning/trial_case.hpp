// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// Bytes from which on comparing them on the device is worth the compile that it takes first, for
/// otherwise they come to the host for each candidate.
inline constexpr std::size_t kWorthComparing = std::size_t{1} << 20;

/// A case laid out in device memory, to run candidates on and to judge what they have written.
/// Used by one thread.
class TrialCase {
public:
    /// Both must outlive it. Throws Error(unavailable) where the device's memory runs out.
    TrialCase(Bench& bench, const Case& what);

    [[nodiscard]] const Case& what() const { return what_; }
    /// What a launch gets for each argument.
    [[nodiscard]] const std::vector<void*>& arrays() const { return arrays_; }

    /// Puts back what launches write: poison, and the data of what they read, too.
    void restore();

    // Each of these looks at what has been written since restore(), and says what is wrong with
    // it; or nothing.

    /// Takes it as what candidates must give, where only a device knows the answer.
    std::string learn() { return read(reference_); }
    /// The outputs and the bytes behind them. Large outputs that are bitwise those which it has
    /// found right before stay on the device: the same bits are right again.
    std::string judge();
    /// Whether it is the same as what judge() has just found right.
    std::string judge_repeated();

private:
    using Outputs = std::vector<std::vector<std::byte>>;

    /// An argument that is written.
    struct Written {
        const CaseArgument* what;
        void* array;
    };

    std::string read(Outputs& outputs);
    /// Whether it is, bit by bit, what has been kept.
    bool is_kept();
    void keep();

    Bench& bench_;
    const Case& what_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    std::vector<void*> arrays_;
    std::vector<Written> written_;
    /// For each of them what judge() has found right last, in device memory; or nothing at all,
    /// where that is too little to be worth it or there is no memory for it.
    std::vector<std::unique_ptr<DeviceMemory>> kept_;
    Outputs reference_;
    Outputs got_, again_;  // kept, for fresh memory costs more than what is read into it
};

}  // namespace jitune::internal
