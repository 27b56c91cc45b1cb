// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/session_store.hpp"
#include "jitune/session.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

class Engine;

/// What a call for a task would be answered by.
struct Foretold {
    std::string answer;  ///< in a sentence
    Origin origin;
    /// The stored winner that answers; with a default origin, that the default replaces.
    std::optional<Winner> winner = {};
};

// What the sources of answers would say; nothing if they would pass. Engine has their order.
std::optional<Foretold> foretell_stored(SessionStore& store, const Options& options,
                                        const Task& task);
std::optional<Foretold> foretell_tuning(SessionStore& store, const Options& options,
                                        const Task& task);
std::optional<Foretold> foretell_nearest(SessionStore& store, const Options& options,
                                         const Task& task);
std::optional<Foretold> foretell_default(SessionStore& store, const Options& options,
                                         const Task& task);

/// A stored winner, and why it would or would not serve a task.
struct ExplainedRow {
    Winner winner;               ///< without its image
    bool is_comparable = false;  ///< only the size may differ
    bool serves = false;
    bool is_withheld = false;  ///< may_be_slower(): the default answers in its place
    bool is_nearest = false;   ///< the first that may answer though it does not serve the sizes
    double octaves = 0;        ///< octaves_between() its range and the sizes
    std::string reason;        ///< "serves: …", "other device class: cuda cc=80 …"
    std::int64_t calls = 0;    ///< recorded calls that it has answered
    std::string last_at;       ///< UTC, of the last one
};

/// The time of a configuration at the sizes.
struct ExplainedCost {
    std::string configuration;
    double ns = 0;
    double octaves = 0;  ///< octaves to the nearest sizes of the estimate; 0: measured
    bool is_default = false;
};

struct Explanation {
    RecordKey key;
    /// The rows of this kernel, best match first.
    std::vector<ExplainedRow> rows;
    /// What a call would do, in one sentence.
    std::string answer;
    std::string configuration;  ///< what answers now; empty: a call waits for a tuning
    /// The estimated times of the stored winners and of the default, fastest first. A configuration
    /// without comparisons within an octave of the sizes is left out.
    std::vector<ExplainedCost> costs;
};

/// Reads the database only. Throws Error(store) if it cannot be opened.
Explanation explain(Engine& engine, const Task& task);

}  // namespace jitune::internal
