// SPDX-License-Identifier: Apache-2.0
#include "template/toml_reader.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "template/toml_check.hpp"

namespace jitune::internal {

namespace {

std::string place_of(const toml::source_region& source) {
    return fmt::format("{}:{}", source.path ? *source.path : "", std::max(source.begin.line, 1U));
}

[[noreturn]] void fail_at(const toml::source_region& source, std::string_view message) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", place_of(source), message));
}

}  // namespace

TomlReader::TomlReader(std::string_view file, std::string_view text, int first_line) {
    check_toml(file, text, first_line);
    // Empty lines in place of what stands before the text, so that nodes know their line.
    const std::string lines(static_cast<std::size_t>(first_line - 1), '\n');
    // From a stream: toml++'s reader of a text may not throw where there is no memory for its path.
    std::istringstream stream(lines + std::string(text));
    try {
        root_ = toml::parse(stream, file);
    } catch (const toml::parse_error& error) {
        fail_at(error.source(), error.description());
    }
}

int TomlReader::line(const toml::node& node) const {
    return static_cast<int>(node.source().begin.line);
}

std::string TomlReader::place(const toml::node& node) const {
    return place_of(node.source());
}

void TomlReader::refuse_other_keys(const toml::table& table, std::string_view where,
                                   std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            fail(node, fmt::format("{} has an unknown key \"{}\"; its keys are {}", where,
                                   key.str(), fmt::join(known, ", ")));
        }
    }
}

std::string TomlReader::text(const toml::table& table, std::string_view key,
                             std::string_view where) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        fail(table, fmt::format("{} needs {} = \"…\"", where, key));
    }
    const auto* value = node->as_string();
    if (value == nullptr || value->get().empty()) {
        fail(*node, fmt::format("{} of {} must be a text in quotes", key, where));
    }
    return value->get();
}

std::string TomlReader::text_or(const toml::table& table, std::string_view key,
                                std::string_view where, std::string_view otherwise) const {
    return table.contains(key) ? text(table, key, where) : std::string(otherwise);
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key,
                                           std::string_view where) const {
    std::vector<std::string> result;
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return result;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        fail(*node, fmt::format("{} of {} must be a list of texts", key, where));
    }
    for (const toml::node& element : *array) {
        const auto* value = element.as_string();
        if (value == nullptr) {
            fail(element, fmt::format("{} of {} must be a list of texts", key, where));
        }
        result.push_back(value->get());
    }
    return result;
}

const toml::table& TomlReader::table(const toml::node& node, std::string_view where) const {
    const toml::table* result = node.as_table();
    if (result == nullptr) {
        fail(node, fmt::format("{} must be a table", where));
    }
    return *result;
}

std::vector<TomlReader::Entry> TomlReader::in_order(const toml::table& table) const {
    struct Placed {
        toml::source_position position;
        Entry entry;
    };
    std::vector<Placed> placed;
    for (const auto& [key, node] : table) {
        placed.push_back({key.source().begin, {std::string(key.str()), &node}});
    }
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.position < b.position; });
    std::vector<Entry> result;
    for (Placed& one : placed) {
        result.push_back(std::move(one.entry));
    }
    return result;
}

void TomlReader::fail(const toml::node& at, const std::string& message) const {
    fail_at(at.source(), message);
}

}  // namespace jitune::internal
