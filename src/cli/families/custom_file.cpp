// SPDX-License-Identifier: Apache-2.0
#include "cli/families/custom_file.hpp"

#include <optional>

#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "template/toml_reader.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kWhere = "a custom operation";

ElementType result_of(const TomlReader& reader, ElementType otherwise) {
    constexpr std::string_view kKey = "result";
    const toml::table& root = reader.root();
    const std::string name = reader.text_or(root, kKey, kWhere, to_string(otherwise));
    try {
        return parse_element_type(name);
    } catch (const Error& error) {
        reader.fail(*root.get(kKey), error.what());
    }
}

double tolerance_of(const TomlReader& reader, double otherwise) {
    const toml::node* node = reader.root().get("tolerance");
    if (node == nullptr) {
        return otherwise;
    }
    const std::optional<double> tolerance = node->value<double>();
    if (!tolerance || !node->is_number()) {
        reader.fail(*node, "tolerance of a custom operation must be a number");
    }
    return *tolerance;
}

}  // namespace

CustomOperation parse_custom(std::string_view text, const std::string& file) {
    const TomlReader reader(file, text, 1);
    const toml::table& root = reader.root();
    reader.refuse_other_keys(root, kWhere,
                             {"name", "definitions", "state", "identity", "map", "combine",
                              "finish", "result", "tolerance"});
    CustomOperation operation;
    operation.name = reader.text(root, "name", kWhere);
    operation.definitions = reader.text_or(root, "definitions", kWhere, operation.definitions);
    operation.state = reader.text(root, "state", kWhere);
    operation.identity = reader.text(root, "identity", kWhere);
    operation.map = reader.text(root, "map", kWhere);
    operation.combine = reader.text(root, "combine", kWhere);
    operation.finish = reader.text_or(root, "finish", kWhere, operation.finish);
    operation.result = result_of(reader, operation.result);
    operation.tolerance = tolerance_of(reader, operation.tolerance);
    return operation;
}

CustomOperation read_custom(const std::filesystem::path& path) {
    return parse_custom(read_text_file(path), path.string());
}

}  // namespace jitune::internal
