// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tuner_db/record.hpp"
#include "tuner_db/size_box.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// The tries of a configuration inside calls that a winner served, with what they have cost and
/// shown. Identified by its key without the bucket, its sizes and both configurations.
struct Exploration {
    static constexpr const char* kTable = "exploration";
    static constexpr const char* kPlace =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6 AND configuration = ?7 AND winner = ?8";
    // Outcomes.
    static constexpr const char* kOpen = "open";      ///< too few tries to tell
    static constexpr const char* kFaster = "faster";  ///< in calls; a race is to decide
    // These are final.
    static constexpr const char* kReplaced = "replaced";  ///< faster in a race, too
    static constexpr const char* kSlower = "slower";      ///< not as much faster as counts
    static constexpr const char* kDiffers = "differs";    ///< its result, from that of the winner
    static constexpr const char* kFailed = "failed";      ///< it does not compile or launch

    RecordKey key;
    std::string sizes;          ///< "n=1000": of the calls
    std::string configuration;  ///< that was tried
    std::string winner;         ///< the configuration that served
    std::string outcome = kOpen;
    std::string reason;       ///< of "differs", "failed" and a "slower" of a race; else empty
    std::string kernel_spec;  ///< frame() of Kernel::spec
    std::int64_t tries = 0;   ///< launches of the configuration that were timed and compared
    double cost_ns = 0;       ///< by what calls took longer, on the device or in their threads
    double served_ns = 0;     ///< mean time of the winner in these calls; 0: none was timed
    double tried_ns = 0;      ///< mean time of the configuration
    double ratio_low = 0;     ///< its time over the winner's: 99 % interval; 0: too few rounds
    double ratio_high = 0;
    std::string device_name;
    std::string first_at;  ///< UTC, "2026-11-20T16:00:00Z"
    std::string last_at;

    bool operator==(const Exploration&) const = default;

    /// The values of kPlace.
    [[nodiscard]] sqlite::Row place() const;
    /// Nothing where the text is malformed.
    [[nodiscard]] std::optional<Sizes> problem_sizes() const { return exact_sizes(sizes); }
    [[nodiscard]] bool is_final() const { return outcome != kOpen && outcome != kFaster; }
    /// Of the same place: tries and costs are added up. Of the rest the later one counts, but
    /// "open" replaces no other outcome, and nothing replaces a final one.
    void add(const Exploration& later);
};

template <MaybeConst<Exploration> Record>
void fields(const auto& visit, Record& one) {
    visit({"key"}, one.key);
    visit({"sizes"}, one.sizes);
    visit({"configuration"}, one.configuration);
    visit({"winner"}, one.winner);
    visit({"outcome"}, one.outcome);
    visit({"reason"}, one.reason);
    visit({.name = "kernel_spec", .binary = true}, one.kernel_spec);
    visit({"tries"}, one.tries);
    visit({"cost_ns"}, one.cost_ns);
    visit({"served_ns"}, one.served_ns);
    visit({"tried_ns"}, one.tried_ns);
    visit({"ratio_low"}, one.ratio_low);
    visit({"ratio_high"}, one.ratio_high);
    visit({"device_name"}, one.device_name);
    visit({"first_at"}, one.first_at);
    visit({"last_at"}, one.last_at);
}

}  // namespace jitune::internal
