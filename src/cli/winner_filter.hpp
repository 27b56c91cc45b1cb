// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/log.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// Arguments that choose winners of a database; an empty one chooses all.
struct WinnerFilter {
    std::string kernel = {};
    std::string type = {};
    std::string op = {};
    std::string device_class = {};  ///< a part of it

    std::vector<Option> options(const OptionRules& rules = {});

    [[nodiscard]] bool matches(const RecordKey& key) const;

    /// Throws Error(usage) that lists the known names for a kernel, type or operation which neither
    /// the built-in kernels nor any of `winners` have: a table may hold kernels of users.
    void refuse_unknown_names(std::span<const Winner> winners) const;

    /// The options that are given, "--kernel reduce --op sum"; empty: none.
    [[nodiscard]] std::string text() const;

    /// Warns where no winner matches. Throws as refuse_unknown_names().
    void warn_if_none(std::span<const Winner> winners, const Log& log) const;

    /// Returns the winners that match the filter, and warns where none does. Throws as
    /// refuse_unknown_names().
    [[nodiscard]] std::vector<Winner> of(std::vector<Winner> winners, const Log& log) const;
};

}  // namespace jitune::internal
