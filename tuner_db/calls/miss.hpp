// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Kernel::spec from its frame(); nothing where that is malformed.
std::optional<std::vector<std::string>> unframed_spec(const std::string& kernel_spec);

/// A problem that calls had no winner for, and how often it was called. Identified by its key
/// without the bucket, and its sizes.
struct Miss {
    static constexpr const char* kTable = "miss";
    static constexpr const char* kPlace =
        "kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND template_hash = "
        "?5 AND sizes = ?6";

    RecordKey key;
    std::string sizes;        ///< "n=1048576": of the first call
    std::string kernel_spec;  ///< frame() of Kernel::spec, which has a checksum
    std::string origin;       ///< of the answer: "nearest" or "default"
    std::string configuration;
    std::int64_t calls = 0;     ///< that this answer served, of all sizes that it serves
    std::int64_t sessions = 0;  ///< in how many sessions
    std::string device_name;
    std::string first_at;  ///< UTC, "2026-11-20T16:00:00Z"
    std::string last_at;

    bool operator==(const Miss&) const = default;

    /// The values of kPlace.
    [[nodiscard]] sqlite::Row place() const;
    /// Kernel::spec; nothing where `kernel_spec` is malformed.
    [[nodiscard]] std::optional<std::vector<std::string>> spec() const {
        return unframed_spec(kernel_spec);
    }
    /// The sizes as numbers; nothing where the text is malformed.
    [[nodiscard]] std::optional<Sizes> problem_sizes() const { return exact_sizes(sizes); }
    /// The names of the types by type parameter; nothing where RecordKey::types is malformed.
    [[nodiscard]] std::optional<std::map<std::string, std::string>> problem_types() const;
    /// Of the same problem: calls and sessions are added up, and the later answer counts.
    void add(const Miss& later);
};

template <MaybeConst<Miss> Record>
void fields(const auto& visit, Record& miss) {
    visit({"key"}, miss.key);
    visit({"sizes"}, miss.sizes);
    visit({.name = "kernel_spec", .binary = true}, miss.kernel_spec);
    visit({"origin"}, miss.origin);
    visit({"configuration"}, miss.configuration);
    visit({.name = "calls", .positive = true}, miss.calls);
    visit({.name = "sessions", .positive = true}, miss.sessions);
    visit({"device_name"}, miss.device_name);
    visit({"first_at"}, miss.first_at);
    visit({"last_at"}, miss.last_at);
}

}  // namespace jitune::internal
