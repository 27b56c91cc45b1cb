// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A stored winner whose times may not hold any more, until it is raced again. Identified by the
/// place of the winner's row.
struct Doubt {
    static constexpr const char* kTable = "doubt";
    static constexpr const char* kPlace =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6 AND configuration = ?7";
    static constexpr const char* kSlow = "slow";
    static constexpr const char* kDriver = "driver";

    RecordKey key;      ///< of the winner, as the next three
    std::string sizes;  ///< where it was tuned
    std::string configuration;
    std::string winner_at;  ///< its Provenance::created_at
    /// kSlow: calls take longer; kDriver: it was made for another one.
    std::string reason;
    std::string called;       ///< "n=1000": exact sizes of the calls
    std::string kernel_spec;  ///< frame() of Kernel::spec; of no words if no worker can make it
    double served_ns = 0;     ///< of calls at these sizes; 0: not timed
    /// The most that the stored times let one expect; 0: unknown.
    double expected_ns = 0;
    std::string driver;  ///< that has served the calls
    std::string device_name;
    std::int64_t reports = 0;  ///< of sessions
    std::string first_at;      ///< UTC, "2026-11-20T16:00:00Z"
    std::string last_at;

    bool operator==(const Doubt&) const = default;

    /// The values of kPlace.
    [[nodiscard]] sqlite::Row place() const;
    /// Whether it is about this row, and not about one that has taken its place.
    [[nodiscard]] bool is_about(const Winner& winner) const;
    /// Kernel::spec; nothing if `kernel_spec` is malformed.
    [[nodiscard]] std::optional<std::vector<std::string>> spec() const {
        return unframed_spec(kernel_spec);
    }
    /// `called` as numbers; nothing if the text is malformed.
    [[nodiscard]] std::optional<Sizes> called_sizes() const { return exact_sizes(called); }
    [[nodiscard]] bool is_sound() const { return called_sizes().has_value(); }
    /// Of the same winner: reports are added up, and the later one counts.
    void add(const Doubt& later);
};

template <MaybeConst<Doubt> Record>
void fields(const auto& visit, Record& doubt) {
    visit({"key"}, doubt.key);
    visit({"sizes"}, doubt.sizes);
    visit({"configuration"}, doubt.configuration);
    visit({"winner_at"}, doubt.winner_at);
    visit({"reason"}, doubt.reason);
    visit({"called"}, doubt.called);
    visit({.name = "kernel_spec", .binary = true}, doubt.kernel_spec);
    visit({"served_ns"}, doubt.served_ns);
    visit({"expected_ns"}, doubt.expected_ns);
    visit({"driver"}, doubt.driver);
    visit({"device_name"}, doubt.device_name);
    visit({.name = "reports", .positive = true}, doubt.reports);
    visit({"first_at"}, doubt.first_at);
    visit({"last_at"}, doubt.last_at);
}

/// The doubt about a winner, or nullptr.
const Doubt* doubt_about(std::span<const Doubt> doubts, const Winner& winner);

/// "calls at n=1000 took 12.5 us instead of at most 8.1 us, 2026-11-23", for a person.
std::string doubt_sentence(const Doubt& doubt);

}  // namespace jitune::internal
