// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The sum of two numbers that are not negative, at most the largest number there is.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return a > kMost - b ? kMost : a + b;
}

/// Kernel::spec from its frame(); nothing if that is malformed.
std::optional<std::vector<std::string>> unframed_spec(const std::string& kernel_spec);

/// How often an answer has served calls. A row is one of two kinds, and a call may count in a row
/// of each:
/// - A use has no kernel_spec. It counts the calls of the same exact sizes that the same answer has
///   served. Its identity is the key without the bucket, the sizes, the configuration and where
///   that came from: the origin, and the winner.
/// - A miss has a kernel_spec, from what a worker makes the kernel. It is a problem that calls had
///   no winner for, or a provisional one, and counts the calls of all sizes that the answer serves.
///   Its identity is the key without the bucket, and the sizes.
struct CallRecord {
    static constexpr const char* kTable = "call";
    static constexpr const char* kIsUse = "kernel_spec = x''";
    static constexpr const char* kIsMiss = "kernel_spec <> x''";
    static constexpr const char* kPlaceOfMiss =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6";
    static constexpr const char* kPlaceOfUse =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6 AND configuration = ?7 AND origin = ?8 AND winner_at = ?9";

    RecordKey key;
    std::string sizes;  ///< "n=1048576": of the calls; of a miss those of the first one
    std::string configuration;
    std::string origin;         ///< to_string(Origin)
    std::string winner_at;      ///< the winner's Provenance::created_at; empty: no winner
    std::int64_t calls = 0;     ///< that the answer has served
    std::int64_t sessions = 0;  ///< in how many sessions
    std::string device_name;
    std::string first_at;  ///< UTC, "2026-11-20T16:00:00Z"
    std::string last_at;
    std::string kernel_spec = {};  ///< of a miss: frame() of Kernel::spec, which has a checksum

    bool operator==(const CallRecord&) const = default;

    [[nodiscard]] bool is_miss() const { return !kernel_spec.empty(); }
    /// The values of kPlaceOfMiss or kPlaceOfUse.
    [[nodiscard]] sqlite::Row place() const;
    /// Kernel::spec; nothing if `kernel_spec` is malformed.
    [[nodiscard]] std::optional<std::vector<std::string>> spec() const {
        return unframed_spec(kernel_spec);
    }
    /// The sizes as numbers; nothing if the text is malformed.
    [[nodiscard]] std::optional<Sizes> problem_sizes() const { return exact_sizes(sizes); }
    /// The names of the types by type parameter; nothing if RecordKey::types is malformed.
    [[nodiscard]] std::optional<std::map<std::string, std::string>> problem_types() const;
    /// Its texts can be read: the sizes, and of a miss the types.
    [[nodiscard]] bool is_sound() const {
        return problem_sizes() && (!is_miss() || problem_types());
    }
    /// Of the same place: calls and sessions are added up, and the later answer counts.
    void add(const CallRecord& later);
};

template <MaybeConst<CallRecord> Record>
void fields(const auto& visit, Record& call) {
    visit({"key"}, call.key);
    visit({"sizes"}, call.sizes);
    visit({"configuration"}, call.configuration);
    visit({"origin"}, call.origin);
    visit({"winner_at"}, call.winner_at);
    visit({.name = "calls", .positive = true}, call.calls);
    visit({.name = "sessions", .positive = true}, call.sessions);
    visit({"device_name"}, call.device_name);
    visit({"first_at"}, call.first_at);
    visit({"last_at"}, call.last_at);
    visit({.name = "kernel_spec", .binary = true}, call.kernel_spec);
}

/// How often calls of a kernel have waited for an answer of one kind.
struct Pause {
    static constexpr const char* kTable = "pause";
    static constexpr const char* kPlace =
        "kernel = ?1 AND types = ?2 AND device_name = ?3 AND origin = ?4";

    std::string kernel;
    std::string types;  ///< as in RecordKey
    std::string device_name;
    std::string origin;  ///< to_string(Origin) of what answered
    std::int64_t pauses = 0;
    std::int64_t longest_us = 0;
    std::string longest_sizes;  ///< "n=1000": of the longest
    std::string first_at;       ///< UTC
    std::string last_at;

    bool operator==(const Pause&) const = default;

    /// The values of kPlace.
    [[nodiscard]] sqlite::Row place() const { return {kernel, types, device_name, origin}; }
    /// Of the same place: pauses are added up, and the longest one stays.
    void add(const Pause& later);
};

template <MaybeConst<Pause> Record>
void fields(const auto& visit, Record& pause) {
    visit({"kernel"}, pause.kernel);
    visit({"types"}, pause.types);
    visit({"device_name"}, pause.device_name);
    visit({"origin"}, pause.origin);
    visit({.name = "pauses", .positive = true}, pause.pauses);
    visit({.name = "longest_us", .positive = true}, pause.longest_us);
    visit({"longest_sizes"}, pause.longest_sizes);
    visit({"first_at"}, pause.first_at);
    visit({"last_at"}, pause.last_at);
}

}  // namespace jitune::internal
