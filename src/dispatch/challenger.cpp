// SPDX-License-Identifier: Apache-2.0
#include "dispatch/challenger.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dispatch/winner_race.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

Challenger::Challenger(Device& device, std::unique_ptr<const Resolved> resolved,
                       std::vector<CallArray> arrays, std::span<const std::int64_t> sizes)
    : device_(device), resolved_(std::move(resolved)), arrays_(std::move(arrays)) {
    for (const CallArray& array : arrays_) {
        if (array.output) {
            outputs_.push_back({array, device.allocate(array.bytes), device.allocate(array.bytes),
                                device.allocate(array.bytes)});
            outputs_.back().array.output->tolerance *= 2;
        }
    }
    warm_ = make_own(sizes);
    own_ = make_own(sizes);
    argument_count_ = resolved_->rule.plan(sizes).launch.array_count;
}

Challenger::Own Challenger::make_own(std::span<const std::int64_t> sizes) const {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of the app's memory
    const LaunchRule::Plan plan = resolved_->rule.plan(sizes);
    const auto [plain, zeroed] = plan.scratch;
    if (plain + zeroed > kMostBytes) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("{} needs {} bytes of work memory: a try inside calls has at most {}",
                        resolved_->info.configuration, plain + zeroed, kMostBytes));
    }
    Own own;
    Scratch scratch;
    if (plain > 0) {
        own.plain = device_.allocate(plain);
        scratch.plain = own.plain->data();
    }
    if (zeroed > 0) {
        own.zeroed = device_.allocate_zeroed(zeroed);
        scratch.zeroed = own.zeroed->data();
    }
    resolved_->program->prepare(resolved_->rule.bind(plan, scratch), own.launch);
    return own;
}

bool Challenger::attempt(LaunchTimer& timer, const Own& own,
                         std::unique_ptr<DeviceMemory> Output::*place, void* const* arrays,
                         Stream stream, std::uint64_t tag, std::string& failure) const {
    std::array<void*, kMaxArguments> arguments{};
    std::copy_n(arrays, argument_count_, arguments.begin());
    for (const Output& output : outputs_) {
        arguments[output.array.place] = (output.*place)->data();
    }
    try {
        return timer.launch(*own.launch, arguments.data(), stream, tag);
    } catch (const std::exception& error) {  // the caller's own launch is not touched by it
        failure = error.what();
        return false;
    }
}

Challenger::Launched Challenger::warm_up(LaunchTimer& timer, const ReadyLaunch& winner,
                                         void* const* arrays, Stream stream, std::uint64_t tag) {
    winner(arrays, stream);
    Launched launched;
    launched.is_timed =
        attempt(timer, warm_, &Output::warmed, arrays, stream, tag + kWarmed, launched.failure);
    return launched;
}

Challenger::Launched Challenger::launch(LaunchTimer& timer, const ReadyLaunch& winner,
                                        void* const* arrays, Stream stream, std::uint64_t tag) {
    Launched launched;
    launched.is_timed =
        attempt(timer, own_, &Output::tried, arrays, stream, tag + kTried, launched.failure);
    winner(arrays, stream);
    if (launched.is_timed) {
        try {
            launched.is_timed = timer.launch(copies_, arrays, stream, tag + kCopied);
        } catch (
            const std::exception&) {  // the call itself was launched; of the try nothing is known
            launched.is_timed = false;
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
