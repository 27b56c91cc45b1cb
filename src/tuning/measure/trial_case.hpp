// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// From so many bytes on, outputs are compared on the device, which takes a compile first. Fewer
/// bytes come to the host for each candidate.
inline constexpr std::size_t kWorthComparing = std::size_t{1} << 20;

/// A case laid out in device memory, to run candidates on and to judge their outputs.
/// Used by one thread.
class TrialCase {
public:
    /// Both must outlive it. Throws Error(unavailable) where the device's memory runs out.
    TrialCase(Bench& bench, const Case& spec);
    /// Another layout of the same case, whose data comes from the memory of `other`.
    TrialCase(Bench& bench, const TrialCase& other);

    [[nodiscard]] const Case& spec() const { return spec_; }
    /// The pointer that a launch gets for each argument.
    [[nodiscard]] const std::vector<void*>& arrays() const { return arrays_; }

    /// Poisons the outputs, and restores the data of those that are inputs, too.
    void restore();

    // Each of these looks at the outputs written since restore(), and at the bytes around all
    // arrays, and returns a complaint; an empty one where all is right.

    /// Takes the outputs as the right answers, where only a device knows them.
    std::string learn() { return read(reference_); }
    /// Large outputs whose bits were found right before stay on the device: the same bits are right
    /// again.
    std::string judge();
    /// Whether the bits are those that judge() has just found right.
    std::string judge_repeated();
    /// judge() of another layout of the same case, which keeps nothing.
    std::string judge_copy(TrialCase& copy);
    /// Whether the arrays that are only read still hold their data; if not, they get it again, so
    /// that the next candidate does not answer for it.
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
    /// Gives the array its data, and poison around it and where it has no data.
    void refill(const Array& array);
    std::string input_complaint(const Array& input);
    std::string read(Outputs& outputs);
    /// Whether the outputs are, bit by bit, those that were kept.
    bool is_kept();
    void keep();

    Bench& bench_;
    const Case& spec_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    std::vector<void*> arrays_;
    std::vector<Array> written_;
    std::vector<Array> read_only_;
    /// A device copy of each output that judge() found right last. Empty where the outputs are
    /// small, or where the device has no memory for copies.
    std::vector<std::unique_ptr<DeviceMemory>> kept_;
    Outputs reference_;
    Outputs got_, again_;  // reused: page faults on new memory cost more than the download
    std::vector<std::byte> around_;  // an input and the bytes around it
};

}  // namespace jitune::internal
