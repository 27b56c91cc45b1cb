// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// Outputs of at least so many bytes are compared on the device, for which a kernel is compiled
/// first. Smaller outputs are read by the host for each candidate.
inline constexpr std::size_t kWorthComparing = std::size_t{1} << 20;

/// A case laid out in device memory, to run candidates on and to judge their outputs.
/// Used by one thread.
class TrialCase {
public:
    /// Both must outlive it. Throws Error(unavailable) if the device's memory runs out.
    TrialCase(Bench& bench, const Case& spec);
    /// Another layout of the same case, whose data comes from the memory of `other`.
    TrialCase(Bench& bench, const TrialCase& other);

    [[nodiscard]] const Case& spec() const { return spec_; }
    /// The pointer that a launch gets for each argument.
    [[nodiscard]] const std::vector<void*>& arrays() const { return arrays_; }

    /// Poisons the outputs, and restores the data of outputs that are inputs, too.
    void restore();

    // Each of these looks at the outputs written since restore() and at the bytes around all
    // arrays. Returns a complaint, which is empty if all is right.

    /// Keeps the outputs as the right answers, if only a device can compute these.
    std::string learn() { return read(reference_); }
    /// Judges the outputs. The device compares large outputs with the kept copy of those that were
    /// right: equal bits are right again.
    std::string judge();
    /// Judges whether the bits are those that judge() has just found right.
    std::string judge_repeated();
    /// Judges the outputs of another memory layout of the same case. Does not change the kept
    /// outputs.
    std::string judge_copy(TrialCase& copy);
    /// Judges whether the arrays that are only read still hold their data. Restores data that has
    /// changed, so that the next candidate is not blamed for it.
    std::string judge_inputs();

    /// The memory of the arrays that are only read, and of those that are written, with the bytes
    /// around them.
    [[nodiscard]] std::vector<MemoryRegion> inputs() const { return memory_of(read_only_); }
    [[nodiscard]] std::vector<MemoryRegion> outputs() const { return memory_of(written_); }

private:
    using Outputs = std::vector<std::vector<std::byte>>;

    struct Array {
        const CaseArgument* argument;
        void* data;
        DeviceMemory* memory;
    };
    static std::vector<MemoryRegion> memory_of(const std::vector<Array>& arrays);

    void lay_out();
    /// Writes the array's data, and poison around it and into every part without data.
    void refill(const Array& array);
    std::string input_complaint(const Array& input);
    std::string read(Outputs& outputs);
    /// True if the outputs equal the kept ones bit by bit.
    bool is_kept();
    void keep();

    Bench& bench_;
    const Case& spec_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    std::vector<void*> arrays_;
    std::vector<Array> written_;
    std::vector<Array> read_only_;
    /// Device copies of the outputs that judge() found right last. Empty if the outputs are small,
    /// or if the device has no memory for copies.
    std::vector<std::unique_ptr<DeviceMemory>> kept_;
    Outputs reference_;
    Outputs got_, again_;  // reused: page faults on new memory cost more than the download
    std::vector<std::byte> around_;  // an input and the bytes around it
};

}  // namespace jitune::internal
