// SPDX-License-Identifier: Apache-2.0
#include "cli/families/reduce_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/families/sizes.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

template <class Enum>
std::vector<std::string> names(const std::vector<Enum>& values) {
    std::vector<std::string> names;
    for (const Enum value : values) {
        names.emplace_back(to_string(value));
    }
    return names;
}

const auto& all_named_ops() {
    static const auto ops = [] {
        std::vector<ReduceOp> named;
        for (const ReduceOpRow& row : reduce_operations()) {
            if (row.kind != ResultKind::custom) {
                named.push_back(row.value);
            }
        }
        return named;
    }();
    return ops;
}

}  // namespace

std::vector<ElementType> parse_element_types(std::string_view text) {
    if (text == "all") {
        return {element_types().begin(), element_types().end()};
    }
    std::vector<ElementType> types;
    for (const std::string& name : parse_list("--types", text)) {
        types.push_back(parse_element_type(name));
    }
    return types;
}

ReduceOp parse_named_op(std::string_view name) {
    const ReduceOp op = parse_reduce_op(name);
    if (op == ReduceOp::custom) {
        throw Error(
            ErrorKind::usage,
            fmt::format("\"custom\" is not a built-in operation: jitune reduce takes your own with "
                        "--custom FILE.toml; built-in ones are {}",
                        named_ops()));
    }
    return op;
}

std::vector<ReduceOp> parse_named_ops(std::string_view text) {
    if (text == "all") {
        return all_named_ops();
    }
    std::vector<ReduceOp> ops;
    for (const std::string& name : parse_list("--ops", text)) {
        ops.push_back(parse_named_op(name));
    }
    return ops;
}

std::vector<std::string> op_names() {
    return names(all_named_ops());
}

std::string named_ops() {
    return fmt::format("{}", fmt::join(op_names(), ", "));
}

ElementType parse_result(ElementType element, ReduceOp op, std::string_view name) {
    const auto results = results_of(element, op);
    if (name.empty()) {
        return results.front();
    }
    const ElementType result = parse_element_type(name);
    if (std::find(results.begin(), results.end(), result) == results.end()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} of {} has no result of type {}: use one of {}", to_string(op),
                                to_string(element), name, fmt::join(names(results), ", ")));
    }
    return result;
}

Determinism parse_unpinned(std::string_view name) {
    const Determinism determinism = parse_determinism(name);
    if (determinism == Determinism::pinned) {
        throw Error(ErrorKind::usage,
                    "\"pinned\" needs a configuration: use jitune reduce --configuration, or "
                    "run_to_run or any");
    }
    return determinism;
}

}  // namespace jitune::internal
