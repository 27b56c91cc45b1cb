// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/platform_kind.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// An array that a launch gets, or a value.
struct CaseArgument {
    /// The content of an array that is read, repeated to its end; null: the array is only written.
    std::shared_ptr<const std::vector<std::byte>> pattern;
    std::size_t bytes = 0;
    std::size_t offset = 0;  ///< bytes past a 512-byte boundary
    bool written = false;    ///< its content is an output, also if it was read before
    /// For a scalar, which is passed by value and has no memory: its bits.
    std::optional<std::uint64_t> value = std::nullopt;
    bool by_value = false;  ///< the pattern is an array that is passed by value, not in memory

    static CaseArgument output(std::size_t bytes) { return {nullptr, bytes, 0, true}; }
};

/// One run of a kernel with known inputs and a way to judge the outputs.
struct Case {
    std::string name;  ///< for messages: "n=1025 offset=1"
    std::vector<std::int64_t> sizes;
    /// The arguments that a caller gives (`in`, `out`, `inout`, `value`), in the front matter's
    /// order.
    std::vector<CaseArgument> arguments;
    /// `judge` accepts only the right bits, so a second run need not be compared with the first.
    bool exact = false;
    bool reads_all = false;  ///< a right launch must read all its inputs
    /// Empty if the outputs, which are the written arguments in their order, are right; else what
    /// is wrong: "got 3, expected 4 ± 1e-6".
    std::function<std::string(std::span<const std::vector<std::byte>> outputs)> judge;
    /// Instead of `judge`, if the host cannot know the answer: compares with the outputs of the
    /// template's reference launch on the same inputs.
    std::function<std::string(std::span<const std::vector<std::byte>> outputs,
                              std::span<const std::vector<std::byte>> reference)>
        agree;
};

/// The data on which candidates for a problem are checked and timed. Each problem family implements
/// one.
class Workload {
public:
    virtual ~Workload() = default;

    /// Tunes the kernels that candidates for the problem are made of, if there are any. Called
    /// before a tuning of the problem begins and other processes wait for its answer. Throws Error
    /// if that tuning would have no answer worth keeping.
    virtual void prepare(const Problem& /*problem*/) const {}

    /// False for a problem so small that a caller would not see what the best configuration gains:
    /// the default answers it for good.
    [[nodiscard]] virtual bool can_gain(const Problem& /*problem*/,
                                        PlatformKind /*platform*/) const {
        return true;
    }

    /// Small awkward cases that a candidate must pass before its time counts: sizes that are no
    /// multiple of anything, data misaligned by one element, random values.
    [[nodiscard]] virtual std::vector<Case> checks(const Problem& problem) const = 0;

    /// The problem itself, at its own sizes.
    [[nodiscard]] virtual Case timed(const Problem& problem) const = 0;
};

}  // namespace jitune::internal
