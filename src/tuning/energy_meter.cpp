// SPDX-License-Identifier: Apache-2.0
#include "tuning/energy_meter.hpp"

#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::seconds kStandsStill{5};  // the slowest counters move twice a second

}  // namespace

EnergyMeter::EnergyMeter(Bench& bench, std::string name) : bench_(bench), name_(std::move(name)) {
    read();
}

double EnergyMeter::read() {
    const std::optional<double> energy_j = bench_.energy_j();
    if (!energy_j) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot measure energy on {}: it has no energy counter that can be "
                                "read. NVIDIA GPUs have one since Volta, which NVML reads; tune "
                                "for time there",
                                name_));
    }
    return *energy_j;
}

std::variant<EnergyMeter::Edge, TrialFailure> EnergyMeter::next_edge(Timer& timer,
                                                                     Clock::time_point earliest) {
    Clock::time_point moved = Clock::now();
    for (double last = read();;) {
        const auto result = Rig::sample(timer);
        if (const auto* failure = std::get_if<TrialFailure>(&result)) {
            return *failure;
        }
        ++samples_;
        const Clock::time_point now = Clock::now();
        const double energy_j = read();
        if (energy_j != last && now >= earliest) {
            return Edge{now, energy_j, samples_};
        }
        moved = energy_j != last ? now : moved;
        last = energy_j;
        if (now - moved > kStandsStill) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("cannot measure energy on {}: its energy counter has not "
                                    "moved within {} s of work; tune for time there",
                                    name_, kStandsStill.count()));
        }
    }
}

std::variant<EnergyWindow, TrialFailure> EnergyMeter::window(Timer& timer, std::size_t launches,
                                                             Clock::duration warm_up,
                                                             Clock::duration length) {
    const auto first = next_edge(timer, Clock::now() + warm_up);
    if (const auto* failure = std::get_if<TrialFailure>(&first)) {
        return *failure;
    }
    const Edge& begin = std::get<Edge>(first);
    const auto last = next_edge(timer, begin.time + length);
    if (const auto* failure = std::get_if<TrialFailure>(&last)) {
        return *failure;
    }
    const Edge& end = std::get<Edge>(last);
    const auto count = static_cast<double>((end.samples - begin.samples) * launches);
    const std::chrono::duration<double, std::nano> time = end.time - begin.time;
    return EnergyWindow{(end.energy_j - begin.energy_j) / count, time.count() / count};
}

}  // namespace jitune::internal
