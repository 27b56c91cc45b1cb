// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/app/common_options.hpp"
#include "support/log.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The kernel of a file of kernel_templates/, such as "reduce.cu"; empty for a header.
std::string_view kernel_of_template(std::string_view file);

/// Whether the types of a key name an operation that is none of the built-in ones.
bool has_custom_operation(std::string_view types);

/// winner_id() as tables show it: its first eight digits.
std::string short_id(const Winner& winner);

/// Arguments that choose winners of a database; an empty one chooses all.
struct WinnerFilter {
    std::string kernel = {};
    std::string type = {};
    std::string accumulator = {};
    std::string op = {};
    std::string size = {};          ///< that the winner serves: "2^20" or "2^10x2^16"
    std::string device_class = {};  ///< a part of it
    std::string id = {};            ///< the first digits of winner_id(), at least four

    /// All of them, or those that say something of keys, so that they choose measurements and
    /// calls, too.
    std::vector<Option> options();
    std::vector<Option> key_options();

    [[nodiscard]] bool is_empty() const { return given().empty(); }
    [[nodiscard]] bool matches(const Winner& winner) const;
    /// Whether key_options() choose it.
    [[nodiscard]] bool matches(const RecordKey& key) const;
    /// The only winner that matches. Throws Error(usage) if none does, and one that lists the
    /// matches if there are several.
    [[nodiscard]] const Winner& only_one(const std::vector<Winner>& winners) const;

    /// Throws Error(usage) for a size or an id that is none.
    void check() const;

    /// Throws Error(usage) as check(), and one that lists the known names for a kernel, type or
    /// operation which neither the built-in kernels nor any of `winners` have: a table may hold
    /// kernels of users.
    void refuse_unknown_names(std::span<const Winner> winners) const;

    /// The arguments that are not empty, as they are typed.
    [[nodiscard]] std::string given() const;

    /// Warns if no winner matches. Throws as refuse_unknown_names().
    void warn_if_none(std::span<const Winner> winners, const Log& log) const;

    /// Returns the winners that match the filter, and warns if none does. Throws as
    /// refuse_unknown_names().
    [[nodiscard]] std::vector<Winner> of(std::vector<Winner> winners, const Log& log) const;
};

/// The arguments of a command that works on the winners which a filter chooses.
struct FilterArguments : CommonArguments {
    WinnerFilter filter;

    /// The options of the filter, `more`, and the usual ones.
    std::vector<Option> usual_options(const std::vector<Option>& more = {});
};

}  // namespace jitune::internal
