#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/backend.hpp"
#include "engine/front_matter.hpp"
#include "expect_error.hpp"

namespace jitune {

// Line by line, so that a test can replace one and knows its number.
inline const std::vector<std::string> kLines{
    "/* jitune template",                                                          // 1
    "kernel = \"scale\"",                                                          // 2
    "backend = \"cuda\"",                                                          // 3
    "sizes = [\"n\"]",                                                             // 4
    "constraints = [",                                                             // 5
    "    \"block <= max_threads_per_block\",",                                     // 6
    "    \"tile < n\",",                                                           // 7
    "]",                                                                           // 8
    "[types.element]",                                                             // 9
    "int32 = \"int\"",                                                             // 10
    "float32 = \"float\"",                                                         // 11
    "[parameters]",                                                                // 12
    "zip = { values = [64, 128, 256], default = 128 }",                            // 13
    "block = { values = [32, 64], default = 64 }",                                 // 14
    "mode = { values = [\"a\", \"b\"], default = \"b\", type = \"fake::Mode\" }",  // 15
    "[derived]",                                                                   // 16
    "tile = \"block * zip\"",                                                      // 17
    "tiles = \"ceil_div(n, tile)\"",                                               // 18
    "[arguments]",                                                                 // 19
    "values = { access = \"in\", type = \"element\", count = \"n\" }",             // 20
    "n = { access = \"scalar\", type = \"uint64\", value = \"n\" }",               // 21
    "[[launch]]",                                                                  // 22
    "entry = \"fake::scale\"",                                                     // 23
    "template = [\"element\", \"block\", \"mode\"]",                               // 24
    "arguments = [\"values\", \"n\"]",                                             // 25
    "grid = [\"tiles\", \"2\"]",                                                   // 26
    "block = \"block\"",                                                           // 27
    "*/",                                                                          // 28
};

inline std::string text_of(const std::vector<std::string>& lines) {
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// The template with line `number` (from 1) in another form.
inline std::string with_line(std::size_t number, const std::string& line) {
    std::vector<std::string> lines = kLines;
    lines.at(number - 1) = line;
    return text_of(lines);
}

inline FrontMatter parse(const std::string& text) {
    return FrontMatter::parse({"scale.cu", text, {}});
}

/// Expects that the template is refused at `line`, with a message that holds `text`.
inline void expect_refused_at(std::size_t line, const std::string& text,
                              const std::string& source) {
    expect_error(ErrorKind::usage, text, [&] { parse(source); });
    expect_error(ErrorKind::usage, fmt::format("scale.cu:{}: ", line), [&] { parse(source); });
}

/// As above, for one changed line which is itself to blame.
inline void expect_line_refused(std::size_t number, const std::string& line,
                                const std::string& text) {
    SCOPED_TRACE(line);
    expect_refused_at(number, text, with_line(number, line));
}

}  // namespace jitune
