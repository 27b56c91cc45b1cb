// SPDX-License-Identifier: Apache-2.0
#include "check/finding.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "template/option_reader.hpp"

namespace jitune::internal {

namespace {

using Names = std::set<std::string>;

bool is_name_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool holds_name(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_name_letter(text[at - 1])) &&
            (end == text.size() || !is_name_letter(text[end]))) {
            return true;
        }
    }
    return false;
}

/// "k.cu:7" of the line of the front matter that declares the name.
std::string place_of_name(const TemplateSource& source, std::string_view name) {
    int line = 1;
    for (std::size_t at = 0; at < source.text.size(); ++line) {
        const std::size_t end = std::min(source.text.find('\n', at), source.text.size());
        std::string_view words = std::string_view(source.text).substr(at, end - at);
        words.remove_prefix(std::min(words.find_first_not_of(" \t"), words.size()));
        const bool is_key = words.starts_with(name) &&
                            words.substr(name.size()).find_first_not_of(" \t") != words.npos &&
                            words.substr(name.size()).find('=') != words.npos &&
                            !is_name_letter(words[name.size()]);
        if (is_key || words.starts_with(fmt::format("[types.{}]", name))) {
            return fmt::format("{}:{}", source.name, line);
        }
        at = end + 1;
    }
    return source.name;
}

class UsedNames {
public:
    explicit UsedNames(const FrontMatter& front) {
        for (const LaunchSpec& launch : front.launches) {
            add(launch);
        }
        for (const ArgumentSpec& argument : front.arguments) {
            names_.insert(argument.type);
            add(argument.amount);
            add(argument.fill.low);
            add(argument.fill.high);
            add_braces(argument.fill.file);
            if (argument.texture) {
                add(*argument.texture);
            }
        }
        if (front.reference) {
            add(front.reference->launch);
            for (const auto& [output, file] : front.reference->files) {
                add_braces(file);
            }
        }
        for (const MetricSpec& metric : front.metrics) {
            sizes_only_.merge(metric.value.names());
        }
        for (const auto* list : {&front.constraints, &front.prune}) {
            for (const Expression& expression : *list) {
                sizes_only_.merge(expression.names());
            }
        }
        for (const OptionSpec& option : front.options) {
            add(option.when);
            add_braces(option.text);
        }
        names_.insert(front.defines.begin(), front.defines.end());
    }

    [[nodiscard]] bool holds(const std::string& name) const { return names_.contains(name); }
    /// Sizes and types count as used if constraints or metrics name them.
    [[nodiscard]] bool holds_size_or_type(const std::string& name) const {
        return holds(name) || sizes_only_.contains(name);
    }

private:
    void add_braces(const std::string& text) {
        static_cast<void>(filled_option(text, [&](const std::string& name) {
            names_.insert(name);
            return name;
        }));
    }
    void add(const Expression& expression) { names_.merge(expression.names()); }
    void add(const TextureSpec& texture) {
        add(texture.width);
        if (texture.height) {
            add(*texture.height);
            add(*texture.pitch);
        }
    }
    void add(const LaunchSpec& launch) {
        names_.insert(launch.template_arguments.begin(), launch.template_arguments.end());
        for (const auto* expression : {&launch.when, &launch.shared_bytes, &launch.cluster,
                                       &launch.programmatic, &launch.cooperative}) {
            add(*expression);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            add(launch.grid.at(axis));
            add(launch.block.at(axis));
        }
    }

    Names names_, sizes_only_;
};

bool is_named_by(const std::vector<Expression>& expressions, const std::string& name) {
    return std::any_of(expressions.begin(), expressions.end(), [&](const Expression& expression) {
        return expression.names().contains(name);
    });
}

bool code_holds(const TemplateSource& source, std::string_view name) {
    const std::size_t end_of_front = std::min(source.text.find("*/"), source.text.size());
    return holds_name(std::string_view(source.text).substr(end_of_front), name) ||
           std::any_of(source.headers.begin(), source.headers.end(),
                       [&](const auto& header) { return holds_name(header.second, name); });
}

}  // namespace

std::vector<Finding> unused_names(const KernelTemplate& kernel, std::string_view made_size) {
    const FrontMatter& front = kernel.front_matter();
    const UsedNames used(front);
    std::vector<Finding> findings;
    const auto warn = [&](const std::string& name, std::string text) {
        findings.push_back(
            {Finding::Level::warning, place_of_name(kernel.source(), name), std::move(text), ""});
    };
    for (const Parameter& parameter : front.parameters) {
        if (!used.holds(parameter.name)) {
            warn(parameter.name,
                 fmt::format(
                     "nothing depends on parameter {}{}: the search tries each of its "
                     "values in vain",
                     parameter.name,
                     is_named_by(front.constraints, parameter.name) ? " but constraints" : ""));
        }
    }
    for (const auto& [type, names] : front.types) {
        if (!used.holds_size_or_type(type)) {
            warn(type, fmt::format("nothing depends on type parameter {}", type));
        }
    }
    for (const std::string& size : front.sizes) {
        if (size != made_size && !used.holds_size_or_type(size)) {
            findings.push_back({Finding::Level::warning, place_of_name(kernel.source(), "sizes"),
                                fmt::format("nothing depends on size {}", size), ""});
        }
    }
    for (const std::string& macro : front.defines) {
        if (kernel.source().include_folders.empty() && !code_holds(kernel.source(), macro)) {
            warn(macro,
                 fmt::format("defines makes {} a macro, which the code does not name", macro));
        }
    }
    return findings;
}

}  // namespace jitune::internal
