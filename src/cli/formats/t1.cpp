// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "backend/platform_kind.hpp"
#include "cli/formats/t1_arguments.hpp"
#include "cli/formats/t1_launch.hpp"
#include "cli/formats/t1_members.hpp"
#include "cli/formats/t1_options.hpp"
#include "cli/formats/t1_scope.hpp"
#include "cli/formats/toml_text.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

namespace {

void check_language(const ParsedJson& kernel) {
    const std::string language = text_member(kernel, "Language");
    if (language != "CUDA") {
        throw Error(ErrorKind::usage,
                    fmt::format("Language {} is not supported: jitune takes CUDA", language));
    }
}

std::string parameter_lines(const std::vector<Parameter>& parameters) {
    std::string lines;
    for (const Parameter& parameter : parameters) {
        std::vector<std::string> values;
        for (const Value& value : parameter.values) {
            const auto* const name = std::get_if<std::string>(&value);
            values.push_back(name != nullptr ? toml_text(*name) : to_string(value));
        }
        lines += fmt::format("{} = {{ values = [{}], default = {} }}\n", parameter.name,
                             fmt::join(values, ", "), values[parameter.default_index]);
    }
    return lines;
}

std::vector<std::string> conditions(const ParsedJson& space, const T1Scope& scope) {
    std::vector<std::string> texts;
    for (const char* key : {"Conditions", "Constraints"}) {
        const ParsedJson* const list = find_member(space, key);
        if (list == nullptr || list->is_null()) {
            continue;
        }
        for (const ParsedJson& one : list_member(space, key)) {
            texts.push_back(
                scope.condition(one.is_string() ? one : member(one, "Expression"), key));
        }
    }
    return texts;
}

/// The name of a kernel's key: "scale" of "space::scale<float>".
std::string key_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(),
        [](char c) {
            return !is_identifier(std::string{'_', c});
        },
        '_');
    return name;
}

std::string front_matter(const ParsedJson& document, const std::filesystem::path& folder,
                         std::vector<std::string>& notes) {
    const ParsedJson& kernel = member(document, "KernelSpecification");
    check_language(kernel);
    const ParsedJson& space = member(document, "ConfigurationSpace");
    const std::vector<Parameter> parameters = read_t1_parameters(space, notes);
    const T1Scope scope(parameters, kernel);
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
    }
    const T1Arguments arguments = t1_arguments(kernel, scope, folder, notes);
    const std::string name = text_member(kernel, "KernelName");
    return fmt::format(
        "/* jitune template\nkernel = {}\nbackend = \"{}\"\nsizes = [\"{}\"]\n"
        "defines = {}\nconstraints = {}\n{}[parameters]\n{}[arguments]\n{}[[launch]]\n"
        "entry = {}\narguments = {}\n{}[reference]\ndefault = true\n*/\n",
        toml_text(key_name(name)), to_string(PlatformKind::cuda), kT1Size, toml_list(names),
        toml_list(conditions(space, scope)), t1_options(kernel, notes), parameter_lines(parameters),
        arguments.table, toml_text(name), toml_list(arguments.order),
        t1_launch(kernel, scope, notes));
}

}  // namespace

T1Template t1_template(const ParsedJson& document, const std::filesystem::path& file) {
    try {
        T1Template result{file.string(), "", {}, unread_t1_members(document)};
        const std::filesystem::path folder = "." / file.parent_path();
        const std::string text = front_matter(document, folder, result.notes);
        const std::filesystem::path kernel =
            text_member(member(document, "KernelSpecification"), "KernelFile");
        const std::filesystem::path path = kernel.is_absolute() ? kernel : folder / kernel;
        result.text = text + "#define kernel_tuner 1\n" + read_text_file(path);
        result.folder = path.parent_path();
        return result;
    } catch (const Error& error) {
        throw Error(error.kind(),
                    fmt::format("{}: T1 tuning problem: {}", file.string(), error.what()),
                    error.native_code());
    }
}

T1Template read_t1(const std::filesystem::path& file) {
    return t1_template(read_json(file), file);
}

}  // namespace jitune::internal
