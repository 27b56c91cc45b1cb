// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

namespace jitune::internal {

/// Refuses text that toml++ 3.3 must not read: its behaviour would be undefined, an assertion would
/// fail, or the stack would overflow. Such text has bytes that are not UTF-8; characters other than
/// ASCII outside quotes and comments, or behind a backslash; quotes right behind words; two words
/// side by side, as the parts of a date; tables whose name does not begin as one; brackets that
/// close nothing; keys of hundreds of parts, "a.a.a…". toml++ itself refuses everything else that
/// is not TOML. Throws Error(usage) "<file>:<line>: …"; `first_line` is that of `text`.
void check_toml(std::string_view file, std::string_view text, int first_line);

/// Typed access to a TOML document that stands inside another file. Every function throws
/// Error(usage) "<file>:<line>: what is wrong, what would be right"; all but root() take nodes of
/// any reader's document.
class TomlReader {
public:
    /// `first_line` is the line of the file on which `text` begins.
    TomlReader(std::string_view file, std::string_view text, int first_line);

    [[nodiscard]] const toml::table& root() const { return root_; }

    /// "<file>:<line>" of a node.
    [[nodiscard]] std::string place(const toml::node& node) const;
    /// The line of a node.
    [[nodiscard]] int line(const toml::node& node) const;

    /// Throws for a key of `table` that is not in `known`.
    void refuse_other_keys(const toml::table& table, std::string_view where,
                           std::initializer_list<std::string_view> known) const;

    [[nodiscard]] std::string text(const toml::table& table, std::string_view key,
                                   std::string_view where) const;
    [[nodiscard]] std::string text_or(const toml::table& table, std::string_view key,
                                      std::string_view where, std::string_view otherwise) const;
    /// The texts of a list; an empty list if the key is missing.
    [[nodiscard]] std::vector<std::string> texts(const toml::table& table, std::string_view key,
                                                 std::string_view where) const;
    [[nodiscard]] const toml::table& table(const toml::node& node, std::string_view where) const;

    /// The entries in the order they are written in (toml++ sorts them by name).
    using Entry = std::pair<std::string, const toml::node*>;
    [[nodiscard]] std::vector<Entry> in_order(const toml::table& table) const;

    [[noreturn]] void fail(const toml::node& at, const std::string& message) const;

private:
    toml::table root_;
};

/// The TOML in the first comment of a template, and the line where it begins.
struct TomlComment {
    std::string_view toml;
    int first_line = 1;
};

/// Throws Error(usage) that names the template if it begins with no such comment.
TomlComment first_comment(const std::string& name, std::string_view text);

}  // namespace jitune::internal
