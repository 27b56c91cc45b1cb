// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jitune::internal {

/// The behaviour of the device's clocks while a batch of samples was taken.
enum class Clocks { steady, noisy, unknown };

/// "steady", "noisy", "unknown".
std::string_view to_string(Clocks clocks);

/// Clocks and other processes may have lengthened the samples of a batch.
struct Disturbance {
    Clocks clocks = Clocks::unknown;
    bool contended = false;  ///< other processes had processors that the samples wanted
    bool slowed = false;     ///< a processor was slower than it can be

    [[nodiscard]] bool is_noise() const { return clocks == Clocks::noisy || contended || slowed; }
};

/// The conditions under which samples were taken. Records keep them as a text, where each field is
/// one word; a field that is not known has none.
struct Conditions {
    enum class Cache { cold, warm };
    enum class Phase { search, finals, comparison, study };

    std::optional<Cache> cache;         ///< "l2=cold": the data had left the last-level cache
    std::string by;                     ///< "by=graph": Bench::chain_kind()
    std::optional<std::size_t> chain;   ///< "chain=32": launches in a sample
    std::optional<std::size_t> slices;  ///< "slices=8": copies of the data
    std::optional<bool> flush;          ///< "flush=1": other memory was read before each sample
    std::optional<Clocks> clocks;       ///< "clocks=steady"
    bool contended = false;             ///< "cpu=contended"
    bool shared = false;                ///< "device=shared": others may have used the device
    Phase phase = Phase::search;        ///< "interleaved", "compared", "studied"
    /// "tries=2": of a provisional winner, so many tunings in a row have ended with one
    std::size_t tries = 0;
    /// "rivals=1": for a default that won because its search ended early: how many other
    /// configurations were timed, one at most
    std::optional<std::size_t> rivals = {};
    /// "objective=energy": the objective that chose a pinned winner, if it was not chosen by its
    /// time
    std::string objective = {};

    bool operator==(const Conditions&) const = default;

    /// True if changing clocks or other processes may have lengthened the times.
    [[nodiscard]] bool disturbed() const { return shared || contended || clocks == Clocks::noisy; }

    /// "l2=cold by=graph chain=32 slices=8 flush=1 clocks=noisy cpu=contended device=shared
    /// interleaved tries=1"
    [[nodiscard]] std::string text() const;

    /// Reads the text. Leaves out unknown words, which another version may have written.
    static Conditions parse(std::string_view text);
};

}  // namespace jitune::internal
