// SPDX-License-Identifier: Apache-2.0
#include "template/option_reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

// What jitune itself chooses, and what makes another kind of output. NVRTC takes each option with
// one and with two dashes.
constexpr std::array<std::string_view, 17> kOfNvrtc{"gpu-architecture",
                                                    "arch",
                                                    "dlto",
                                                    "dlink-time-opt",
                                                    "relocatable-device-code",
                                                    "rdc",
                                                    "device-c",
                                                    "dc",
                                                    "device-as-default-execution-space",
                                                    "default-device",
                                                    "minimal",
                                                    "create-pch",
                                                    "use-pch",
                                                    "pch",
                                                    "no-source-include",
                                                    "gen-opt-lto",
                                                    "device-w"};
constexpr std::array<std::string_view, 9> kOfHost{
    "o", "c", "E", "S", "shared", "x", "fsyntax-only", "M", "save-temps"};

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
    if (bare.starts_with('I') || name == "include-path" || name == "isystem" || name == "iquote") {
        return "names a folder of headers: use the key include_folders";
    }
    const bool is_host = platform == PlatformKind::host;
    const std::span<const std::string_view> refused =
        is_host ? std::span<const std::string_view>(kOfHost) : kOfNvrtc;
    const bool writes = is_host && bare.starts_with('o') && !bare.starts_with("openmp");
    if (writes || std::find(refused.begin(), refused.end(), name) != refused.end()) {
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
