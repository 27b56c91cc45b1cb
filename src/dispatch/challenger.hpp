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
/// the winner alone: it writes to memory of its own. For one try at a time, of two calls in a row:
/// the first launches the challenger behind the winner, so that the code of both has run lately;
/// the second times one of them, which comes first and finds the caches as the app has left them.
class Challenger {
public:
    /// `resolved`: its answer at these sizes; `arrays`: call_arrays(), of which some are outputs.
    /// `device` must outlive it. Throws as Device::allocate(), LaunchRule::plan() and
    /// Program::prepare() do, and Error(unavailable) where it needs too much work memory.
    Challenger(Device& device, std::unique_ptr<const Resolved> resolved,
               std::vector<CallArray> arrays, std::span<const std::int64_t> sizes);

    /// The steps of a try. A timer has the time of each under the tag of the try plus the step.
    enum Step : std::uint64_t { kWarmed, kServed, kTried, kCopied, kSteps };

    /// Of each call the winner is launched, and what that throws is thrown.
    struct Launched {
        bool is_timed = false;  ///< every step of the call
        std::string failure{};  ///< of the challenger's own launch; the winner's has not failed
    };

    /// Whether a call may be one of a try: none of its outputs lies in another array.
    [[nodiscard]] bool takes(void* const* arrays) const {
        return !has_shared_output(arrays_, arrays);
    }
    /// The first call of a try: kWarmed.
    Launched warm_up(LaunchTimer& timer, const ReadyLaunch& winner, void* const* arrays,
                     Stream stream, std::uint64_t tag);
    /// The second call, of one that times the challenger: kTried and kCopied. The winner's,
    /// kServed, is a launch by the timer.
    Launched launch(LaunchTimer& timer, const ReadyLaunch& winner, void* const* arrays,
                    Stream stream, std::uint64_t tag);

    /// After launch() has ended: the first difference between both results that is more than twice
    /// the outputs' tolerance, since neither is the truth; or "".
    std::string compare(Queue& queue) const;

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
        std::unique_ptr<DeviceMemory> warmed, tried, served;
    };
    /// A launch of the challenger with its own work memory: two may overlap on two streams.
    struct Own {
        std::unique_ptr<DeviceMemory> plain, zeroed;
        std::unique_ptr<ReadyLaunch> launch;
    };

    Own make_own(std::span<const std::int64_t> sizes) const;
    /// Launches `own` with the outputs' memory that `place` names. Returns false, with `failure`
    /// where it throws, if it was not timed.
    bool attempt(LaunchTimer& timer, const Own& own, std::unique_ptr<DeviceMemory> Output::*place,
                 void* const* arrays, Stream stream, std::uint64_t tag, std::string& failure) const;

    Device& device_;
    const std::unique_ptr<const Resolved> resolved_;
    const std::vector<CallArray> arrays_;
    std::size_t argument_count_ = 0;
    std::vector<Output> outputs_;
    Own warm_, own_;
    const Copies copies_{*this};
};

/// Bytes of all outputs together.
std::size_t output_bytes(std::span<const CallArray> arrays);

/// The configurations that may be faster than the winner in calls: at most three rivals() within
/// 10 % of it, the fastest first, but for those that are `out`.
std::vector<std::string> challengers(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::set<std::string>& out);

}  // namespace jitune::internal
