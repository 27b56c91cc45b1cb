// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/device.hpp"
#include "jitune/error.hpp"
#include "template/front_matter_scope.hpp"
#include "template/name_rules.hpp"
#include "template/option_reader.hpp"
#include "template/toml_reader.hpp"

namespace jitune::internal {
namespace {

using Headers = decltype(TemplateSource::headers);

/// Reads one document and those that it includes into one FrontMatter, section by section; each
/// section may use the names that the earlier ones declare.
class Parser {
public:
    Parser(std::string_view file, std::string_view toml, int first_line)
        : reader_(file, toml, first_line), scope_(reader_) {}

    FrontMatter parse(const Headers& headers) {
        const toml::table& root = reader_.root();
        reader_.refuse_other_keys(
            root, "front matter",
            {"kernel",     "backend",     "summary",   "include",         "sizes",
             "cache",      "constraints", "prune",     "reproducibility", "types",
             "parameters", "derived",     "arguments", "launch",          "reference",
             "defines",    "metrics",     "options",   "include_folders", "default"});
        read_includes(root, headers);
        read_head(root);
        read_types();
        read_parameters();
        read_derived();
        result_.constraints = expressions("constraints");
        result_.prune = expressions("prune");
        read_reproducibility(root);
        read_default_rules(scope_, root, result_);
        read_arguments_and_launches(root);
        read_defines(root);
        read_options(scope_, root, result_);
        read_metrics(root);
        return std::move(result_);
    }

private:
    void read_includes(const toml::table& root, const Headers& headers) {
        const std::vector<std::string> names = reader_.texts(root, "include", "front matter");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto header = std::find_if(headers.begin(), headers.end(),
                                             [&](const auto& h) { return h.first == names[i]; });
            if (header == headers.end()) {
                reader_.fail(
                    *root.get("include")->as_array()->get(i),
                    fmt::format(
                        "include names \"{}\", which is not a .toml file in the "
                        "template's folder or below it, nor one of its headers{}",
                        names[i],
                        headers.empty()
                            ? ""
                            : fmt::format(": {}", fmt::join(std::views::keys(headers), ", "))));
            }
            const TomlReader& reader = included_.emplace_back(header->first, header->second, 1);
            reader.refuse_other_keys(reader.root(), "included front matter",
                                     {"constraints", "prune", "types", "parameters", "derived"});
        }
    }

    /// The documents that have `key`: first the included ones.
    std::vector<const toml::table*> roots_with(std::string_view key) const {
        std::vector<const toml::table*> result;
        for (const TomlReader& reader : included_) {
            result.push_back(&reader.root());
        }
        result.push_back(&reader_.root());
        std::erase_if(result, [&](const toml::table* root) { return !root->contains(key); });
        return result;
    }

    /// Of the tables `key` of all documents, in the order they are written in.
    std::vector<TomlReader::Entry> entries(std::string_view key) const {
        std::vector<TomlReader::Entry> result;
        for (const toml::table* root : roots_with(key)) {
            std::ranges::move(reader_.in_order(reader_.table(*root->get(key), key)),
                              std::back_inserter(result));
        }
        return result;
    }

    void read_head(const toml::table& root) {
        result_.kernel = reader_.text(root, "kernel", "front matter");
        const auto platform = platform_from(reader_.text(root, "backend", "front matter"));
        result_.summary = reader_.text_or(root, "summary", "front matter", "");
        result_.sizes = reader_.texts(root, "sizes", "front matter");
        if (!is_identifier(result_.kernel)) {
            reader_.fail(*root.get("kernel"), "kernel must be a name of letters, digits and _");
        }
        if (!platform) {
            reader_.fail(*root.get("backend"), "backend must be \"cuda\" or \"host\"");
        }
        result_.platform = *platform;
        const std::string cache = reader_.text_or(root, "cache", "front matter", "cold");
        if (cache != "cold" && cache != "warm") {
            reader_.fail(*root.get("cache"), "cache must be \"cold\" or \"warm\"");
        }
        result_.warm_cache = cache == "warm";
        if (result_.sizes.empty()) {
            reader_.fail(root, "sizes must name at least one size, as in sizes = [\"n\"]");
        }
        for (const std::string_view attribute : device_attributes(result_.platform)) {
            scope_.add_attribute(std::string(attribute));
        }
        for (const std::string& size : result_.sizes) {
            scope_.declare(*root.get("sizes"), size);
        }
    }

    void read_types() {
        for (const auto& [parameter, node] : entries("types")) {
            const std::string where = "types." + parameter;
            scope_.declare(*node, parameter);
            const toml::table& table = reader_.table(*node, where);
            if (table.contains("range")) {
                read_range(table, parameter, where);
                continue;
            }
            for (const auto& [name, text] : reader_.in_order(table)) {
                const auto* value = text->as_string();
                if (!is_type_name(name) || value == nullptr || !is_type_text(value->get())) {
                    reader_.fail(*text, where + " must be lines of name = \"C++ type\"");
                }
                result_.types[parameter][name] = value->get();
            }
            scope_.add_beside(*node, parameter + "_bytes");
        }
    }

    void read_range(const toml::table& table, const std::string& parameter,
                    const std::string& where) {
        reader_.refuse_other_keys(table, where, {"range"});
        const std::string text = reader_.text(table, "range", where);
        const auto range = integer_range(text);
        if (!range) {
            reader_.fail(*table.get("range"),
                         fmt::format("range of {} must be two integers, as in \"1..32\", from "
                                     "0 to {} and at most {} of them",
                                     where, kHighestInRange, kMostInRange));
        }
        for (std::int64_t i = range->first; i <= range->second; ++i) {
            result_.types[parameter][std::to_string(i)] = std::to_string(i);
        }
        result_.ranges[parameter] = text;
    }

    void read_parameters() {
        if (roots_with("parameters").empty()) {
            reader_.fail(reader_.root(), "front matter needs a table [parameters]");
        }
        for (const auto& [name, node] : entries("parameters")) {
            const std::string where = "parameter " + name;
            const toml::table& table = reader_.table(*node, where);
            reader_.refuse_other_keys(table, where, {"values", "default", "type"});
            scope_.declare(*node, name);
            result_.parameters.push_back(parameter(table, name, where));
            if (table.contains("type") &&
                std::holds_alternative<std::string>(result_.parameters.back().values.front())) {
                result_.enumerations[name] = reader_.text(table, "type", where);
                if (!is_type_text(result_.enumerations[name])) {
                    reader_.fail(table, "type of " + where + " must name a C++ enumeration");
                }
            }
        }
    }

    Parameter parameter(const toml::table& table, const std::string& name,
                        const std::string& where) const {
        const toml::node* values = table.get("values");
        const toml::node* standard = table.get("default");
        if (values == nullptr || standard == nullptr || values->as_array() == nullptr ||
            values->as_array()->empty()) {
            reader_.fail(table, where + " needs values = [ … ] and default = …");
        }
        Parameter result{name, {}, 0};
        std::set<Value> distinct;
        for (const toml::node& node : *values->as_array()) {
            result.values.push_back(value(node, name));
            if (result.values.back().index() != result.values.front().index() ||
                !distinct.insert(result.values.back()).second) {
                reader_.fail(node, "values of " + where +
                                       " must be distinct, and all integers or all names");
            }
        }
        const auto found =
            std::find(result.values.begin(), result.values.end(), value(*standard, name));
        if (found == result.values.end()) {
            reader_.fail(*standard, "default of " + where + " must be one of its values");
        }
        result.default_index = static_cast<std::size_t>(found - result.values.begin());
        return result;
    }

    Value value(const toml::node& node, const std::string& parameter) const {
        if (const auto* integer = node.as_integer()) {
            return integer->get();
        }
        const auto* text = node.as_string();
        if (text == nullptr || !is_identifier(text->get())) {
            const bool is_option = text != nullptr && text->get().starts_with('-');
            reader_.fail(
                node,
                fmt::format("values of parameter {} must be integers or names in "
                            "quotes, of letters, digits and _{}",
                            parameter, is_option ? advice_on_option(parameter, text->get()) : ""));
        }
        return text->get();
    }

    static std::string advice_on_option(const std::string& parameter, const std::string& option) {
        return fmt::format(
            "; an option stands in options: {} = {{ values = [0, 1], default = 0 }} "
            "and options = [{{ option = \"{}\", when = \"{} = 1\" }}]",
            parameter, option, parameter);
    }

    void read_derived() {
        for (const auto& [name, node] : entries("derived")) {
            const auto* text = node->as_string();
            if (text == nullptr) {
                reader_.fail(*node, "derived " + name + " must be an expression in quotes");
            }
            const Expression meaning = scope_.expression(*node, text->get());
            scope_.define(*node, name, meaning);
            result_.derived.emplace(name, meaning);
        }
    }

    /// Of the lists `key` of all documents.
    std::vector<Expression> expressions(std::string_view key) const {
        std::vector<Expression> result;
        for (const toml::table* root : roots_with(key)) {
            const std::vector<std::string> texts = reader_.texts(*root, key, "front matter");
            for (std::size_t i = 0; i < texts.size(); ++i) {
                result.push_back(scope_.expression(*root->get(key)->as_array()->get(i), texts[i]));
            }
        }
        return result;
    }

    void read_reproducibility(const toml::table& root) {
        if (const toml::node* word = root.get("reproducibility")) {
            result_.reproducibility =
                scope_.expression(*word, reader_.text(root, "reproducibility", "front matter"));
        }
    }

    void read_arguments_and_launches(const toml::table& root) {
        const toml::node* arguments = root.get("arguments");
        if (arguments == nullptr) {
            reader_.fail(root, "front matter needs a table [arguments]");
        }
        read_arguments(scope_, *arguments, result_);
        read_launches(scope_, root, result_);
    }

    void read_defines(const toml::table& root) {
        result_.defines = reader_.texts(root, "defines", "front matter");
        for (const std::string& name : result_.defines) {
            if (!result_.is_instance_word(name)) {
                reader_.fail(*root.get("defines"),
                             "defines names \"" + name +
                                 "\", which is neither a parameter nor a type parameter");
            }
        }
        for (const auto& [name, node] : entries("parameters")) {
            check_enumeration(name, *node);
        }
    }

    /// Names are enumerators, or the text of macros.
    void check_enumeration(const std::string& name, const toml::node& node) const {
        const auto parameter = std::ranges::find(result_.parameters, name, &Parameter::name);
        const bool has_names = std::holds_alternative<std::string>(parameter->values.front());
        const bool is_argument =
            std::ranges::any_of(result_.launches, [&](const LaunchSpec& launch) {
                return std::ranges::count(launch.template_arguments, name) > 0;
            });
        const bool is_macro = std::ranges::count(result_.defines, name) > 0;
        if (has_names && !result_.enumerations.contains(name) && (is_argument || !is_macro)) {
            reader_.fail(node,
                         fmt::format("parameter {} needs type, the C++ enumeration of its values, "
                                     "unless it is a macro alone",
                                     name));
        }
    }

    void read_metrics(const toml::table& root) {
        const toml::node* metrics = root.get("metrics");
        if (metrics == nullptr) {
            return;
        }
        FrontMatterScope scope = scope_;
        scope.add_beside(*metrics, "seconds");
        scope.add_beside(*metrics, "joules");
        for (const auto& [name, node] : reader_.in_order(reader_.table(*metrics, "metrics"))) {
            const std::string where = "metric " + name;
            const toml::table& table = reader_.table(*node, where);
            reader_.refuse_other_keys(table, where, {"value", "unit", "better"});
            if (!is_identifier(name)) {
                reader_.fail(table, "\"" + name + "\" is not a name: use letters, digits and _");
            }
            if (std::ranges::count(kObjectiveNames, name) > 0) {
                reader_.fail(table, fmt::format("{} has the name of an objective that every "
                                                "template has ({}); give it another name",
                                                where, fmt::join(kObjectiveNames, ", ")));
            }
            const std::string better = reader_.text_or(table, "better", where, "higher");
            if (better != "higher" && better != "lower") {
                reader_.fail(table, where + ": better must be \"higher\" or \"lower\"");
            }
            result_.metrics.push_back(
                {name, scope.expression(table, reader_.text(table, "value", where)),
                 reader_.text_or(table, "unit", where, ""), better == "lower"});
        }
    }

    TomlReader reader_;
    std::vector<TomlReader> included_;
    FrontMatter result_;
    FrontMatterScope scope_;
};

}  // namespace

bool FrontMatter::constrains_sizes() const {
    return std::any_of(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
        const std::set<std::string> names = constraint.names();
        return std::any_of(sizes.begin(), sizes.end(),
                           [&](const std::string& size) { return names.contains(size); });
    });
}

bool FrontMatter::is_instance_word(std::string_view name) const {
    return types.contains(std::string(name)) ||
           std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& one) { return one.name == name; });
}

Scalar FrontMatter::type_value(const std::string& parameter, const std::string& name) const {
    std::int64_t value = 0;
    const char* const end = name.data() + name.size();
    if (ranges.contains(parameter) && std::from_chars(name.data(), end, value).ptr == end) {
        return value;
    }
    return name;
}

const ArgumentSpec* FrontMatter::find_argument(std::string_view name) const {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const ArgumentSpec& one) { return one.name == name; });
    return found == arguments.end() ? nullptr : &*found;
}

FrontMatter parse_front_matter(const TemplateSource& source) {
    const TomlComment comment = first_comment(source.name, source.text);
    return Parser(source.name, comment.toml, comment.first_line).parse(source.headers);
}

std::vector<std::string> include_folders_in(const std::string& text) try {
    const TomlComment comment = first_comment("", text);
    const TomlReader reader("", comment.toml, comment.first_line);
    return reader.texts(reader.root(), "include_folders", "front matter");
} catch (const Error&) {
    return {};
}

}  // namespace jitune::internal
