// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/launch_timer.hpp"
#include "backend/queue.hpp"
#include "dispatch/dispatch_table.hpp"
#include "template/call_arrays.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// A configuration that is tried inside calls that a winner serves, which have their result from
/// the winner alone: it writes to memory of its own. For one try at a time.
class Challenger {
public:
    /// `resolved`: its answer at these sizes; `arrays`: call_arrays(), of which some are outputs.
    /// `device` must outlive it. Throws as Device::allocate(), LaunchRule::plan() and
    /// Program::prepare() do.
    Challenger(Device& device, std::unique_ptr<const Resolved> resolved,
               std::vector<CallArray> arrays, std::span<const std::int64_t> sizes);

    /// The steps of a try: a timer has their times under `tag` plus the step. The last one is the
    /// last to end.
    enum Step : std::uint64_t { kServed, kTried, kCopied, kSteps };

    struct Launched {
        bool is_timed = false;  ///< every step
        std::string failure{};  ///< of the challenger's own launch
    };
    /// Launches a call of the winner and a try, and copies what the winner writes. Before that it
    /// launches the challenger once without a time: code that has not run lately is in no cache,
    /// and took twice as long as the winner's on the host (20 000 floats). Throws as `winner` does.
    /// Nothing of the challenger is launched where an output of the call lies in the memory of
    /// another array.
    Launched launch(LaunchTimer& timer, const ReadyLaunch& winner, bool winner_goes_first,
                    void* const* arrays, Stream stream, std::uint64_t tag);

    /// After a try has ended: the first difference between both results, or "".
    std::string compare(Queue& queue) const;

    [[nodiscard]] const std::string& configuration() const { return resolved_->info.configuration; }

private:
    /// Copies the outputs of a call.
    struct Copies final : ReadyLaunch {
        explicit Copies(const Challenger& made_for) : ReadyLaunch(call), challenger(made_for) {}
        static void call(const ReadyLaunch& self, void* const* arrays, Stream stream);

        const Challenger& challenger;
    };
    /// The memory for one of the outputs.
    struct Output {
        CallArray array;
        std::unique_ptr<DeviceMemory> tried, served;
    };

    Device& device_;
    const std::unique_ptr<const Resolved> resolved_;
    const std::vector<CallArray> arrays_;
    std::vector<Output> outputs_;
    std::unique_ptr<DeviceMemory> plain_, zeroed_;
    std::unique_ptr<ReadyLaunch> launch_;
    const Copies copies_{*this};
    std::size_t argument_count_ = 0;
    std::array<void*, kMaxArguments> arguments_{};  ///< of the try under way
};

/// Bytes of all outputs together.
std::size_t output_bytes(std::span<const CallArray> arrays);

/// The configurations that may be faster than the winner in calls: at most three rivals() within
/// 10 % of it, the fastest first, but for those that are `out`.
std::vector<std::string> challengers(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::set<std::string>& out);

}  // namespace jitune::internal
