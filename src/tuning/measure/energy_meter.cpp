// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/energy_meter.hpp"

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using Clock = TimeSource::Clock;

constexpr std::chrono::milliseconds kPause{1};
constexpr std::chrono::seconds kStandsStill{5};  // the slowest counters move twice a second

[[noreturn]] void throw_unreadable(const DeviceInfo& device, const std::string& reason) {
    throw Error(ErrorKind::unavailable, fmt::format("cannot measure energy on {}: {}; tune for "
                                                    "time there",
                                                    device.name, reason));
}

/// A trace that a thread of its own writes.
class Poll {
public:
    Poll(EnergyTrace trace, const TimeSource& time, std::function<double()> read)
        : trace_(trace),
          time_(time),
          read_(std::move(read)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// Throws what the reading has thrown.
    EnergyTrace trace() {
        const std::lock_guard lock(mutex_);
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
        return trace_;
    }

private:
    void run(const std::stop_token& stop) {
        try {
            while (!stop.stop_requested()) {
                const Clock::time_point begin = time_.now();
                const double energy_j = read_();
                const Clock::time_point end = time_.now();
                {
                    const std::lock_guard lock(mutex_);
                    trace_.add(begin + (end - begin) / 2, energy_j);
                }
                std::this_thread::sleep_for(kPause);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
        }
    }

    std::mutex mutex_;
    EnergyTrace trace_;
    const TimeSource& time_;
    std::exception_ptr error_;
    std::function<double()> read_;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace

void EnergyTrace::add(Time time, double energy_j) {
    read_ = time;
    const bool first = !moved_;
    if (!first && moved_->energy_j == energy_j) {
        return;
    }
    moved_ = Reading{time, energy_j};
    if (first || power_w_) {  // when the first value began is not known
        return;
    }
    if (!begin_ && time >= earliest_) {
        begin_ = moved_;
    } else if (begin_ && time >= begin_->time + length_) {
        const std::chrono::duration<double> seconds = time - begin_->time;
        power_w_ = (energy_j - begin_->energy_j) / seconds.count();
    }
}

std::chrono::nanoseconds EnergyTrace::still() const {
    return moved_ ? read_ - moved_->time : std::chrono::nanoseconds(0);
}

EnergyMeter::EnergyMeter(Device& device, const TimeSource& time) : device_(device), time_(time) {
    read();
}

double EnergyMeter::read() {
    const std::optional<double> energy_j = device_.energy_j();
    if (!energy_j) {
        throw_unreadable(device_.info(),
                         "it has no energy counter that can be read (NVIDIA GPUs have one since "
                         "Volta, which NVML reads)");
    }
    return *energy_j;
}

std::variant<EnergyWindow, TrialFailure> EnergyMeter::window(Timer& timer, std::size_t launches,
                                                             std::chrono::nanoseconds warm_up,
                                                             std::chrono::nanoseconds length) {
    const Clock::time_point earliest = time_.now() + warm_up;
    Poll poll(EnergyTrace(earliest, length), time_, [this] { return read(); });
    std::optional<Clock::time_point> begin;
    std::size_t samples = 0;  // since `begin`
    while (true) {
        const Clock::time_point now = time_.now();
        const EnergyTrace trace = poll.trace();
        if (const auto power_w = trace.power_w(); power_w && samples > 0) {
            const std::chrono::duration<double, std::nano> time = now - *begin;
            const double launch_ns = time.count() / static_cast<double>(samples * launches);
            return EnergyWindow{*power_w * launch_ns * 1e-9, launch_ns};
        }
        if (trace.still() > kStandsStill) {
            throw_unreadable(device_.info(),
                             fmt::format("its energy counter has not moved within {} s of work",
                                         kStandsStill.count()));
        }
        if (!begin && now >= earliest) {
            begin = now;
        }
        const auto result = Rig::sample(timer);
        if (const auto* failure = std::get_if<TrialFailure>(&result)) {
            return *failure;
        }
        samples += begin ? 1 : 0;
    }
}

}  // namespace jitune::internal
