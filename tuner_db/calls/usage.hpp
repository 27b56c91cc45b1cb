// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sizes/size_box.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// How often an answer has served calls of the same exact sizes. Identified by its key without the
/// bucket, its sizes, its configuration and where that came from: the origin, and the winner.
struct Usage {
    static constexpr const char* kTable = "usage";
    static constexpr const char* kPlace =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6 AND configuration = ?7 AND origin = ?8 AND winner_at = ?9";

    RecordKey key;
    std::string sizes;  ///< "n=1048576"
    std::string configuration;
    std::string origin;     ///< to_string(Origin)
    std::string winner_at;  ///< the winner's Provenance::created_at; empty: no winner
    std::int64_t calls = 0;
    std::int64_t sessions = 0;  ///< in how many sessions
    std::string device_name;
    std::string first_at;  ///< UTC, "2026-11-20T16:00:00Z"
    std::string last_at;

    bool operator==(const Usage&) const = default;

    /// The values of kPlace.
    [[nodiscard]] sqlite::Row place() const;
    /// The sizes as numbers; nothing where the text is malformed.
    [[nodiscard]] std::optional<Sizes> problem_sizes() const { return exact_sizes(sizes); }
    /// Of the same place: calls and sessions are added up.
    void add(const Usage& later);
};

template <MaybeConst<Usage> Record>
void fields(const auto& visit, Record& usage) {
    visit({"key"}, usage.key);
    visit({"sizes"}, usage.sizes);
    visit({"configuration"}, usage.configuration);
    visit({"origin"}, usage.origin);
    visit({"winner_at"}, usage.winner_at);
    visit({.name = "calls", .positive = true}, usage.calls);
    visit({.name = "sessions", .positive = true}, usage.sessions);
    visit({"device_name"}, usage.device_name);
    visit({"first_at"}, usage.first_at);
    visit({"last_at"}, usage.last_at);
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
