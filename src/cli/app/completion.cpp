// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kFirstLine =
    "# Completes the words of jitune. Made by `jitune completion`.\n";

std::string path_of(const CommandPage& page) {
    return fmt::format("{}", fmt::join(page.words, " "));
}

/// The options with a dash, among them those of every command.
std::vector<Option> dashed(const CommandPage& page) {
    static bool unused = false;
    std::vector<Option> options;
    for (const Option& option : page.options) {
        if (has_dash(option)) {
            options.push_back(option);
        }
    }
    options.push_back({"-h,--help", &unused, "Print the options and exit"});
    if (page.words.empty()) {
        options.push_back({"--version", &unused, "Print the version and exit"});
    }
    return options;
}

/// In single quotes, as all three shells read them.
std::string quoted(std::string_view text, std::string_view quote) {
    std::string result = "'";
    for (const char letter : text) {
        if (letter == '\'') {
            result += quote;
        } else {
            result += letter;
        }
    }
    return result + "'";
}

/// A FILE behind a group's name stands for one of its commands.
std::string file_case(const CommandPage& page) {
    const std::string group = path_of(page);
    std::vector<std::string> patterns;
    for (const std::string_view ending : kFileEndings) {
        patterns.push_back(fmt::format("\"{} \"*{}", group, ending));
    }
    return fmt::format("        {}) [[ $at != '{}' ]] || at='{} {}' ;;\n", fmt::join(patterns, "|"),
                       group, group, page.file_child);
}

/// Sets `at` to the command of the line, for bash and zsh: `loop` runs over the words before the
/// cursor, of which `word` is one.
std::string find_command(const std::vector<CommandPage>& pages, std::string_view loop,
                         std::string_view word) {
    std::vector<std::string> paths;
    std::string files;
    for (const CommandPage& page : pages) {
        if (!page.words.empty()) {
            paths.push_back(fmt::format("\"{}\"", path_of(page)));
        }
        if (!page.file_child.empty()) {
            files += file_case(page);
        }
    }
    return fmt::format(R"(    local at='' next i
    for (({})); do
        next="${{at:+$at }}{}"
        case $next in
        {}) at=$next ;;
{}        esac
    done
    case $at in
)",
                       loop, word, fmt::join(paths, "|"), files);
}

/// The words that may come at a page: commands, or values of an argument by place. If there are
/// none and `takes_files` is set, a file may come.
struct PlaceWords {
    std::vector<std::string> words;
    bool takes_files = false;
};

PlaceWords place_words(const CommandPage& page) {
    PlaceWords place;
    for (const Command& child : page.children) {
        place.words.push_back(child.name);
    }
    for (const Option& option : page.options) {
        if (!has_dash(option)) {
            const auto& choices = option.rules.choices;
            place.words.insert(place.words.end(), choices.begin(), choices.end());
            place.takes_files = choices.empty();
        }
    }
    return place;
}

/// Sets the shell variables of one page: `words` that may follow, `dashed` options, and `valued`,
/// the options that take a value; then the known values behind such an option.
std::string bash_page(const CommandPage& page) {
    std::vector<std::string> dashed_names, valued;
    std::string values;
    for (const Option& option : dashed(page)) {
        const std::vector<std::string> names = names_of(option);
        dashed_names.insert(dashed_names.end(), names.begin(), names.end());
        if (takes_value(option)) {
            valued.insert(valued.end(), names.begin(), names.end());
            if (!option.rules.choices.empty()) {
                values += fmt::format("        {}) values='{}' ;;\n", fmt::join(names, "|"),
                                      fmt::join(option.rules.choices, " "));
            }
        }
    }
    const PlaceWords place = place_words(page);
    std::string text = fmt::format("    '{}')\n        words='{}' dashed='{}' valued=' {} '\n",
                                   path_of(page), fmt::join(place.words, " "),
                                   fmt::join(dashed_names, " "), fmt::join(valued, " "));
    text += place.words.empty() && !place.takes_files ? "        words=$dashed\n" : "";
    text += values.empty() ? "" : "        case $previous in\n" + values + "        esac\n";
    return text + "        ;;\n";
}

std::string bash(const std::vector<CommandPage>& pages) {
    std::string script(kFirstLine);
    script += R"(_jitune() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local words='' dashed='' valued='' values=''
)" + find_command(pages, "i = 1; i < COMP_CWORD; ++i", "${COMP_WORDS[i]}");
    for (const CommandPage& page : pages) {
        script += bash_page(page);
    }
    return script + R"(    esac
    if [[ $valued == *" $previous "* ]]; then
        words=$values  # none: a file
    elif [[ $current == -* ]]; then
        words=$dashed
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _jitune jitune
)";
}

/// A text inside of zsh's '...[...]...' of _arguments.
std::string zsh_text(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') {
            result += '\\';
        }
        result += letter;
    }
    return result;
}

std::string zsh(const std::vector<CommandPage>& pages) {
    constexpr std::string_view kQuote = "'\\''";
    std::string script = "#compdef jitune\n" + std::string(kFirstLine);
    script += "_jitune() {\n    local -a commands\n" +
              find_command(pages, "i = 2; i < CURRENT; ++i", "${words[i]}");
    for (const CommandPage& page : pages) {
        script += fmt::format("    ('{}')\n", path_of(page));
        if (!page.children.empty()) {
            script += "        commands=(\n";
            for (const Command& child : page.children) {
                script += fmt::format("            {}\n",
                                      quoted(child.name + ":" + zsh_text(child.help), kQuote));
            }
            script += "        )\n        [[ $PREFIX == -* ]] || _describe command commands\n";
        }
        script += "        _arguments";
        for (const Option& option : dashed(page)) {
            for (const std::string& name : names_of(option)) {
                const auto& choices = option.rules.choices;
                const std::string value =
                    !takes_value(option) ? ""
                    : choices.empty()
                        ? ":value:_files"
                        : fmt::format(":value:({})",
                                      zsh_text(fmt::format("{}", fmt::join(choices, " "))));
                const std::string row = fmt::format("{}[{}]{}", name, zsh_text(option.help), value);
                script += " \\\n            " + quoted(row, kQuote);
            }
        }
        const PlaceWords place = place_words(page);
        if (!page.file_child.empty()) {
            script += " \\\n            '*:file:_files'";
        } else if (page.children.empty()) {
            script += place.words.empty() ? " \\\n            '*:file:_files'"
                                          : fmt::format(" \\\n            '*:word:({})'",
                                                        fmt::join(place.words, " "));
        }
        script += "\n        ;;\n";
    }
    return script + "    esac\n}\n_jitune \"$@\"\n";
}

/// As file_case().
std::string fish_file_cases(const std::vector<CommandPage>& pages) {
    std::string cases;
    for (const CommandPage& page : pages) {
        for (const std::string_view ending : kFileEndings) {
            cases += page.file_child.empty()
                         ? ""
                         : fmt::format(
                               "        else if test \"$at\" = '{0}'; and string match -q "
                               "'*{1}' -- $word\n            set at '{0} {2}'\n",
                               path_of(page), ending, page.file_child);
        }
    }
    return cases;
}

std::string fish(const std::vector<CommandPage>& pages) {
    constexpr std::string_view kQuote = "\\'";
    std::string script(kFirstLine);
    // The words before the cursor that are no options, as long as they name commands.
    script += fmt::format(R"(function __jitune_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join -- ' ' $at $word)
        if contains -- "$next" $__jitune_commands
            set at $next
{}        end
    end
    test "$at" = "$argv"
end
)",
                          fish_file_cases(pages));
    std::vector<std::string> paths;
    for (const CommandPage& page : pages) {
        if (!page.words.empty()) {
            paths.push_back(quoted(path_of(page), kQuote));
        }
    }
    script += fmt::format("set -g __jitune_commands {}\n", fmt::join(paths, " "));
    for (const CommandPage& page : pages) {
        const std::string begin =
            fmt::format("complete -c jitune -n '__jitune_at {}'", path_of(page));
        for (const Command& child : page.children) {
            script += fmt::format("{}{} -a {} -d {}\n", begin, page.file_child.empty() ? " -f" : "",
                                  child.name, quoted(child.help, kQuote));
        }
        if (const PlaceWords place = place_words(page);
            page.children.empty() && !place.words.empty()) {
            script += fmt::format("{} -f -a '{}'\n", begin, fmt::join(place.words, " "));
        }
        for (const Option& option : dashed(page)) {
            script += begin;
            for (const std::string& name : names_of(option)) {
                script +=
                    name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            const auto& choices = option.rules.choices;
            script += !takes_value(option) ? ""
                      : choices.empty()    ? " -r"
                                           : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
            script += fmt::format(" -d {}\n", quoted(option.help, kQuote));
        }
    }
    return script;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CommandPage>& pages) {
    if (shell == "bash") {
        return bash(pages);
    }
    if (shell == "zsh") {
        return zsh(pages);
    }
    if (shell == "fish") {
        return fish(pages);
    }
    throw Error(ErrorKind::usage,
                fmt::format("no completions for the shell \"{}\": name bash, zsh or fish", shell));
}

}  // namespace jitune::internal
