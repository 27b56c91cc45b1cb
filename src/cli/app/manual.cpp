// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_pages.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/exit_code.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

/// Text as roff shows it: a plain hyphen may become a dash, and a line may not begin with a dot.
std::string escaped(std::string_view text) {
    constexpr std::array<std::pair<char, std::string_view>, 5> kEscapes{
        {{'\\', "\\e"}, {'-', "\\-"}, {'~', "\\(ti"}, {'^', "\\(ha"}, {'\n', " "}}};
    std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char& letter : text) {
        const auto found = std::find_if(kEscapes.begin(), kEscapes.end(),
                                        [&](const auto& one) { return one.first == letter; });
        result += found == kEscapes.end() ? std::string_view(&letter, 1) : found->second;
    }
    return result;
}

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", escaped(text));
}

std::string item(const std::string& head, std::string_view text) {
    return fmt::format(".TP\n{}\n{}\n", head, escaped(text));
}

/// "-n N, --size N" as a page shows it.
std::string option_head(const Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : names_of(option)) {
        names.push_back(!has_dash(option)     ? italic(name)
                        : takes_value(option) ? fmt::format("{} {}", bold(name), italic("value"))
                                              : bold(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string spoken(const CommandPage& page) {
    return fmt::format("jitune{}{}", page.words.empty() ? "" : " ", fmt::join(page.words, " "));
}

std::string synopsis(const CommandPage& page) {
    std::string text = fmt::format(".SH SYNOPSIS\n{}", bold(spoken(page)));
    if (!page.children.empty()) {
        return text + fmt::format(" {} [{}]\n", italic("command"), italic("options"));
    }
    text += fmt::format(" [{}]", italic("options"));
    for (const Option& option : page.options) {
        if (option.rules.required) {
            text += " " + option_head(option);
        } else if (!has_dash(option)) {
            text += fmt::format(" [{}]", italic(option.name));
        }
    }
    return text + "\n";
}

std::string children(const CommandPage& page) {
    if (page.children.empty()) {
        return "";
    }
    std::string text = ".SH COMMANDS\n";
    for (const Command& child : page.children) {
        text += item(bold(child.name), child.help);
    }
    return text;
}

std::string options(const CommandPage& page) {
    std::string text = ".SH OPTIONS\n";
    for (const Option& option : page.options) {
        text += item(option_head(option), option.help);
    }
    text += item(bold("-h") + ", " + bold("--help"), "Print the options and exit");
    return page.words.empty() ? text + item(bold("--version"),
                                            "Print the version, and what was built in, and exit")
                              : text;
}

/// The tables that `--help` prints, too.
std::string tables(const CommandPage& page) {
    std::string text;
    if (takes_strategy(page.options)) {
        text += ".SH STRATEGIES\n";
        for (const StrategyEntry& row : strategies()) {
            text += item(bold(row.name), strategy_text(row));
        }
    }
    text += ".SH EXIT STATUS\n";
    for (const ExitCodeEntry& row : exit_codes()) {
        text += item(bold(fmt::format("{}", static_cast<int>(row.code))), row.meaning);
    }
    return text;
}

std::string see_also(const CommandPage& page) {
    std::vector<std::string> others;
    if (!page.words.empty()) {
        others.push_back(bold("jitune") + "(1)");
    }
    for (const Command& child : page.children) {
        others.push_back(bold(manual_name(page) + "-" + child.name) + "(1)");
    }
    return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(others, ",\n"));
}

}  // namespace

std::string manual_name(const CommandPage& page) {
    return fmt::format("jitune{}{}", page.words.empty() ? "" : "-", fmt::join(page.words, "-"));
}

std::string manual_text(const CommandPage& page, const std::string& version) {
    std::string title = manual_name(page);
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return fmt::format(".TH \"{}\" 1 \"\" \"jitune {}\" \"User Commands\"\n", escaped(title),
                       version) +
           fmt::format(".SH NAME\n{} \\- {}\n", escaped(manual_name(page)), escaped(page.help)) +
           synopsis(page) + children(page) + options(page) + tables(page) + ".SH ENVIRONMENT\n" +
           bold("JITUNE_DB") + ", " + bold("JITUNE_BUDGET") +
           " and others stand for options that are not given.\n" + see_also(page);
}

}  // namespace jitune::internal
