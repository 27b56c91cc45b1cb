// SPDX-License-Identifier: Apache-2.0
#include "dispatch/challenger.hpp"

#include <algorithm>
#include <utility>

#include "dispatch/winner_race.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

Challenger::Challenger(Device& device, std::unique_ptr<const Resolved> resolved,
                       std::vector<CallArray> arrays, std::span<const std::int64_t> sizes)
    : device_(device), resolved_(std::move(resolved)), arrays_(std::move(arrays)) {
    for (const CallArray& array : arrays_) {
        if (array.output) {
            outputs_.push_back({array, device.allocate(array.bytes), device.allocate(array.bytes)});
        }
    }
    const LaunchRule::Plan plan = resolved_->rule.plan(sizes);
    Scratch scratch;
    if (plan.scratch.plain > 0) {
        plain_ = device.allocate(plan.scratch.plain);
        scratch.plain = plain_->data();
    }
    if (plan.scratch.zeroed > 0) {
        zeroed_ = device.allocate_zeroed(plan.scratch.zeroed);
        scratch.zeroed = zeroed_->data();
    }
    const Launch launch = resolved_->rule.bind(plan, scratch);
    argument_count_ = launch.array_count;
    resolved_->program->prepare(launch, launch_);
}

Challenger::Launched Challenger::launch(LaunchTimer& timer, const ReadyLaunch& winner,
                                        bool winner_goes_first, void* const* arrays, Stream stream,
                                        std::uint64_t tag) {
    Launched launched;
    if (has_shared_output(arrays_, arrays)) {
        winner(arrays, stream);
        return launched;
    }
    const auto serve = [&] { return timer.launch(winner, arrays, stream, tag + kServed); };
    const auto attempt = [&](const auto& launch) {
        try {
            launch();
        } catch (const Error& error) {
            launched.failure = error.what();
        }
    };
    std::copy_n(arrays, argument_count_, arguments_.begin());
    for (const Output& output : outputs_) {
        arguments_[output.array.place] = output.tried->data();
    }
    attempt([&] { (*launch_)(arguments_.data(), stream); });
    bool is_served = winner_goes_first && serve();
    bool is_tried = false;
    if (launched.failure.empty()) {
        attempt(
            [&] { is_tried = timer.launch(*launch_, arguments_.data(), stream, tag + kTried); });
    }
    is_served = winner_goes_first ? is_served : serve();
    if (is_served && is_tried) {
        try {
            launched.is_timed = timer.launch(copies_, arrays, stream, tag + kCopied);
        } catch (const Error&) {  // the call itself was launched; nothing is known of the try
        }
    }
    return launched;
}

void Challenger::Copies::call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
    const Challenger& challenger = static_cast<const Copies&>(self).challenger;
    for (const Output& output : challenger.outputs_) {
        challenger.device_.copy(output.served->data(), arrays[output.array.place],
                                output.array.bytes, stream);
    }
}

std::string Challenger::compare(Queue& queue) const {
    for (const Output& output : outputs_) {
        std::vector<std::byte> tried(output.array.bytes), served(output.array.bytes);
        queue.download(tried, output.tried->data());
        queue.download(served, output.served->data());
        queue.wait();
        if (std::string difference = compare_output(*output.array.output, served, tried);
            !difference.empty()) {
            return difference;
        }
    }
    return {};
}

std::size_t output_bytes(std::span<const CallArray> arrays) {
    std::size_t bytes = 0;
    for (const CallArray& array : arrays) {
        bytes += array.output ? array.bytes : 0;
    }
    return bytes;
}

std::vector<std::string> challengers(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::set<std::string>& out) {
    constexpr double kMostLoss = 1.1;
    constexpr std::size_t kMost = 3;
    std::vector<std::string> found;
    for (Rival& rival : rivals(measurements, winner)) {
        if (rival.ratio <= kMostLoss && !out.contains(rival.configuration) &&
            found.size() < kMost) {
            found.push_back(std::move(rival.configuration));
        }
    }
    return found;
}

}  // namespace jitune::internal
