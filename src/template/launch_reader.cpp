// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter_scope.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "template/front_matter.hpp"
#include "template/name_rules.hpp"
#include "template/option_reader.hpp"

namespace jitune::internal {

namespace {

class LaunchReader {
public:
    LaunchReader(const FrontMatterScope& scope, FrontMatter& front)
        : scope_(scope), reader_(scope.reader()), front_(front) {}

    /// `entry` is the key that names the function.
    LaunchSpec launch(const toml::table& table, std::string_view entry) const {
        reader_.refuse_other_keys(table, "launch",
                                  {entry, "template", "arguments", "when", "grid", "block",
                                   "shared_bytes", "cluster", "programmatic", "cooperative"});
        LaunchSpec launch;
        launch.entry = reader_.text(table, entry, "launch");
        launch.line = reader_.line(*table.get(entry));
        launch.template_arguments = reader_.texts(table, "template", "launch");
        launch.arguments = reader_.texts(table, "arguments", "launch");
        launch.when = quantity(table, "when", "1");
        launch.shared_bytes = quantity(table, "shared_bytes", "0");
        launch.cluster = quantity(table, "cluster", "1");
        launch.programmatic = quantity(table, "programmatic", "0");
        launch.cooperative = quantity(table, "cooperative", "0");
        launch.grid = extent(table, "grid");
        launch.block = extent(table, "block");
        check_names(table, launch);
        return launch;
    }

    ReferenceSpec reference(const toml::table& table) const {
        ReferenceSpec result;
        if (table.contains("npy")) {
            reader_.refuse_other_keys(table, "reference", {"npy"});
            result.kind = ReferenceSpec::Kind::files;
            result.files = files(reader_.table(*table.get("npy"), "npy of reference"));
        } else if (table.contains("default")) {
            reader_.refuse_other_keys(table, "reference", {"default"});
            result.kind = ReferenceSpec::Kind::standard;
            if (!table.get("default")->value<bool>().value_or(false)) {
                reader_.fail(table, "default of reference must be true, or be left out");
            }
        } else if (table.contains("host")) {
            result.kind = ReferenceSpec::Kind::host;
            result.launch = launch(table, "host");
            refuse_work_memory(table, result.launch);
        } else {
            result.launch = launch(table, "entry");
        }
        return result;
    }

private:
    Expression quantity(const toml::table& table, std::string_view key,
                        std::string_view otherwise) const {
        return scope_.expression(table, reader_.text_or(table, key, "launch", otherwise));
    }

    std::array<Expression, 3> extent(const toml::table& table, std::string_view key) const {
        std::vector<std::string> texts{"1"};
        const toml::node* node = table.get(key);
        if (node != nullptr && node->is_string()) {
            texts = {reader_.text(table, key, "launch")};
        } else if (node != nullptr) {
            texts = reader_.texts(table, key, "launch");
        }
        if (texts.empty() || texts.size() > 3) {
            reader_.fail(table, fmt::format("{} of launch must be one to three expressions", key));
        }
        texts.resize(3, "1");
        return {scope_.expression(table, texts[0]), scope_.expression(table, texts[1]),
                scope_.expression(table, texts[2])};
    }

    void check_names(const toml::table& table, const LaunchSpec& launch) const {
        if (!is_type_text(launch.entry)) {
            reader_.fail(table, "entry of launch must be the qualified name of a function");
        }
        for (const std::string& name : launch.template_arguments) {
            if (!front_.is_instance_word(name)) {
                reader_.fail(table, "template of launch names \"" + name +
                                        "\", which is neither a parameter nor a type parameter");
            }
        }
        if (launch.arguments.size() > kMaxArguments) {
            reader_.fail(table, fmt::format("a launch takes at most {} arguments", kMaxArguments));
        }
        for (const std::string& name : launch.arguments) {
            if (front_.find_argument(name) == nullptr) {
                reader_.fail(
                    table, "arguments of launch names \"" + name + "\", which is not an argument");
            }
        }
    }

    void refuse_work_memory(const toml::table& table, const LaunchSpec& launch) const {
        for (const std::string& name : launch.arguments) {
            const Access access = front_.find_argument(name)->access;
            if (access == Access::scratch || access == Access::zeroed) {
                reader_.fail(table, "a host reference takes no work memory: \"" + name + "\"");
            }
        }
    }

    std::map<std::string, std::string> files(const toml::table& table) const {
        std::map<std::string, std::string> result;
        for (const auto& [name, node] : reader_.in_order(table)) {
            const ArgumentSpec* argument = front_.find_argument(name);
            if (argument == nullptr || !is_written(argument->access)) {
                reader_.fail(*node,
                             "npy of reference names \"" + name + "\", which is not an output");
            }
            result[name] = reader_.text(table, name, "npy of reference");
            static_cast<void>(filled_option(result[name], [&](const std::string& word) {
                if (std::ranges::count(front_.sizes, word) == 0 && !front_.types.contains(word)) {
                    reader_.fail(*node, "npy of reference names {" + word +
                                            "}, which is neither a size nor a type parameter");
                }
                return word;
            }));
        }
        for (const ArgumentSpec& argument : front_.arguments) {
            if (is_written(argument.access) && !result.contains(argument.name)) {
                reader_.fail(table, "npy of reference lacks the output \"" + argument.name + "\"");
            }
        }
        return result;
    }

    const FrontMatterScope& scope_;
    const TomlReader& reader_;
    FrontMatter& front_;
};

}  // namespace

void read_launches(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front) {
    const TomlReader& reader = scope.reader();
    const LaunchReader launch_reader(scope, front);
    const toml::node* node = root.get("launch");
    const toml::array* launches = node != nullptr ? node->as_array() : nullptr;
    if (launches == nullptr || launches->empty() || launches->size() > kMaxLaunchSteps) {
        reader.fail(root,
                    fmt::format("front matter needs one to {} tables [[launch]]", kMaxLaunchSteps));
    }
    for (const toml::node& launch : *launches) {
        front.launches.push_back(launch_reader.launch(reader.table(launch, "launch"), "entry"));
    }
    if (const toml::node* reference = root.get("reference")) {
        front.reference = launch_reader.reference(reader.table(*reference, "reference"));
    }
}

}  // namespace jitune::internal
