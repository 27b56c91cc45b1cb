// SPDX-License-Identifier: Apache-2.0
#include "template/option_reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

// The beginnings of options that choose what jitune chooses, write files, or read files that no
// hash knows. NVRTC takes each option with one and with two dashes.
constexpr std::array<std::string_view, 24> kOfNvrtc{"gpu-architecture",
                                                    "arch",
                                                    "dlto",
                                                    "dlink-time-opt",
                                                    "relocatable-device-code",
                                                    "rdc",
                                                    "device-c",
                                                    "dc",
                                                    "device-w",
                                                    "dw",
                                                    "device-as-default-execution-space",
                                                    "default-device",
                                                    "minimal",
                                                    "create-pch",
                                                    "use-pch",
                                                    "pch",
                                                    "no-source-include",
                                                    "gen-opt-lto",
                                                    "time",
                                                    "fdevice-time-trace",
                                                    "optix-ir",
                                                    "extensible-whole-program",
                                                    "ewp",
                                                    "output"};
constexpr std::array<std::string_view, 22> kOfHost{
    "o",          "c",       "E",        "S",          "M",       "x",     "shared", "fsyntax-only",
    "save-temps", "compile", "assemble", "preprocess", "output",  "march", "Wl,-o",  "Wl,--output",
    "Wl,-Map",    "Wp,",     "Wa,",      "fopt-info",  "wrapper", "specs"};
constexpr std::array<std::string_view, 10> kOfHeaders{
    "I",       "include-path", "isystem",           "iquote", "idirafter", "imacros",
    "include", "pre-include",  "include-directory", "iprefix"};
constexpr std::array<std::string_view, 4> kOfPtxas{"gpu-name", "arch", "output-file",
                                                   "compile-only"};

/// Options that a template must not give to the compiler of a platform.
std::span<const std::string_view> refused_options(PlatformKind platform) {
    switch (platform) {
        case PlatformKind::host:
            return kOfHost;
        case PlatformKind::cuda:
        case PlatformKind::machine:  // which compiles nothing
            return kOfNvrtc;
    }
    return {};
}

constexpr std::size_t kLongestOption = 256;

std::string_view without_dashes(std::string_view option) {
    return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

class OptionReader {
public:
    OptionReader(const FrontMatterScope& scope, const FrontMatter& front)
        : scope_(scope), reader_(scope.reader()), front_(front) {}

    OptionSpec option(const toml::node& node) const {
        OptionSpec result{"", Expression::constant(std::int64_t{1})};
        if (const auto* text = node.as_string()) {
            result.text = text->get();
        } else {
            const toml::table& table = reader_.table(node, "option");
            reader_.refuse_other_keys(table, "option", {"option", "when"});
            result.text = reader_.text(table, "option", "option");
            result.when = when(table);
        }
        check(node, result.text);
        return result;
    }

private:
    Expression when(const toml::table& table) const {
        Expression result = scope_.expression(table, reader_.text_or(table, "when", "option", "1"));
        for (const std::string& name : result.names()) {
            const bool is_size_of_type =
                name.ends_with("_bytes") && front_.types.contains(name.substr(0, name.size() - 6));
            if (!front_.is_instance_word(name) && !is_size_of_type) {
                reader_.fail(table, "when of option names \"" + name +
                                        "\", which is neither a parameter nor a type parameter");
            }
        }
        return result;
    }

    void check(const toml::node& node, const std::string& text) const {
        const std::string filled = filled_option(text, [&](const std::string& name) {
            if (!front_.is_instance_word(name)) {
                reader_.fail(node, "option \"" + text + "\" names \"" + name +
                                       "\", which is neither a parameter nor a type parameter");
            }
            return std::string("0");
        });
        if (filled.find_first_of("{}") != std::string::npos) {
            reader_.fail(node, "option \"" + text + "\" has braces that do not hold a name");
        }
        if (const std::string flaw = flaw_of_option(front_.platform, filled); !flaw.empty()) {
            reader_.fail(node, fmt::format("option \"{}\" {}", text, flaw));
        }
    }

    const FrontMatterScope& scope_;
    const TomlReader& reader_;
    const FrontMatter& front_;
};

}  // namespace

void read_options(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front) {
    // The folders themselves are searched where the template's headers are read.
    static_cast<void>(scope.reader().texts(root, "include_folders", "front matter"));
    const toml::node* node = root.get("options");
    if (node == nullptr) {
        return;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr) {
        scope.reader().fail(*node, "options must be a list, as in [\"--use_fast_math\"]");
    }
    const OptionReader reader(scope, front);
    for (const toml::node& one : *list) {
        front.options.push_back(reader.option(one));
    }
}

std::string flaw_of_option(PlatformKind platform, std::string_view option) {
    const std::string_view bare = without_dashes(option);
    const std::string_view name = bare.substr(0, bare.find_first_of("= "));
    if (option.size() < 2 || option.front() != '-' || option.size() > kLongestOption ||
        std::any_of(option.begin(), option.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
        return "is no option: write one word that begins with -, as in --use_fast_math";
    }
    const auto begins = [&](std::string_view word) {
        // A single letter stands for all that begins so; a word ends, but on the host, where
        // arguments are attached to some.
        return word.size() == 1 || runs_on_cpu(platform) ? bare.starts_with(word) : name == word;
    };
    if (std::any_of(kOfHeaders.begin(), kOfHeaders.end(), begins)) {
        return "names headers: use the key include_folders, and #include";
    }
    const std::span<const std::string_view> refused = refused_options(platform);
    const bool is_for_ptxas = name == "ptxas-options" || name == "Xptxas";
    const bool is_refused =
        std::any_of(refused.begin(), refused.end(), begins) ||
        (is_for_ptxas && std::any_of(kOfPtxas.begin(), kOfPtxas.end(), [&](std::string_view word) {
             return option.find(word) != std::string_view::npos;
         }));
    if (is_refused) {
        return "is not for a template: jitune chooses the architecture, the input and the output";
    }
    return {};
}

std::string filled_option(std::string_view text,
                          const std::function<std::string(const std::string&)>& text_of) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('{', at), text.size());
        const std::size_t close = text.find('}', open);
        result += text.substr(at, open - at);
        if (close == std::string_view::npos) {
            return result += text.substr(open);
        }
        result += text_of(std::string(text.substr(open + 1, close - open - 1)));
        at = close + 1;
    }
    return result;
}

}  // namespace jitune::internal
