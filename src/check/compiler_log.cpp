// SPDX-License-Identifier: Apache-2.0
#include "check/finding.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// "k.cu:12" of "k.cu(12)", "k.cu:12:5" and "k.cu:12"; nothing for another text.
std::optional<std::string> place_of(std::string_view text) {
    const auto is_number = [](std::string_view part) {
        return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) != 0;
        });
    };
    if (const std::size_t open = text.rfind('('); open != text.npos && text.ends_with(')')) {
        const std::string_view line = text.substr(open + 1, text.size() - open - 2);
        return is_number(line) ? std::optional(fmt::format("{}:{}", text.substr(0, open), line))
                               : std::nullopt;
    }
    std::string_view place = text;
    for (std::size_t colon = place.rfind(':'); colon != place.npos; colon = place.rfind(':')) {
        if (!is_number(place.substr(colon + 1))) {
            break;
        }
        const std::size_t before = place.rfind(':', colon - 1);
        if (before == place.npos || !is_number(place.substr(before + 1, colon - before - 1))) {
            return std::string(place);
        }
        place = place.substr(0, colon);
    }
    return std::nullopt;
}

/// The finding that a line begins.
std::optional<Finding> finding_of(std::string_view line) {
    struct Word {
        std::string_view text;
        Finding::Level level;
    };
    for (const auto& [word, level] :
         {Word{": error: ", Finding::Level::error},
          Word{": catastrophic error: ", Finding::Level::error},
          Word{": fatal error: ", Finding::Level::error},
          Word{": warning: ", Finding::Level::warning}, Word{": error #", Finding::Level::error},
          Word{": warning #", Finding::Level::warning}}) {
        const std::size_t at = line.find(word);
        if (at == line.npos) {
            continue;
        }
        if (const auto place = place_of(line.substr(0, at))) {
            const std::size_t text = at + word.size() - (word.ends_with('#') ? 1 : 0);
            return Finding{level, *place, std::string(line.substr(text)), ""};
        }
    }
    return std::nullopt;
}

/// Whether a line is the mark below a line of code: spaces, "^", "~" and, of g++, its margin.
bool is_mark(std::string_view line) {
    return line.find('^') != line.npos && line.find_first_not_of(" \t^~|") == line.npos;
}

}  // namespace

std::vector<Finding> read_compiler_log(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::optional<Finding> finding = finding_of(lines[i]);
        if (!finding) {
            continue;
        }
        if (i + 2 < lines.size() && is_mark(lines[i + 2])) {
            finding->excerpt = fmt::format("{}\n{}", lines[i + 1], lines[i + 2]);
        }
        const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
            return other.place == finding->place && other.text == finding->text;
        });
        if (!known) {
            findings.push_back(std::move(*finding));
        }
    }
    return findings;
}

}  // namespace jitune::internal
