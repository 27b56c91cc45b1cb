// SPDX-License-Identifier: Apache-2.0
#include "template/call_arrays.hpp"

#include <cstdint>

#include "backend/launch.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

/// Nothing if the array's type or length is not known.
std::optional<CallArray> call_array(const KernelTemplate& kernel, const ArgumentSpec& argument,
                                    const Problem& problem) {
    const auto named = problem.types.find(argument.type);
    const std::string& name = named == problem.types.end() ? argument.type : named->second;
    const auto type = element_type_from(name);
    const auto amount = kernel.value_of(argument.amount, problem);
    const auto* const count = amount ? std::get_if<std::int64_t>(&*amount) : nullptr;
    if (!type || count == nullptr || *count < 0) {
        return std::nullopt;
    }
    CallArray array;
    array.bytes = static_cast<std::size_t>(*count) * bytes_of(*type);
    if (is_written(argument.access)) {
        array.output = {argument.name, *type,
                        argument.tolerance.value_or(default_tolerance(*type))};
    }
    return array;
}

}  // namespace

std::optional<std::vector<CallArray>> call_arrays(const KernelTemplate& kernel,
                                                  const Problem& problem) {
    std::vector<CallArray> arrays;
    std::size_t place = 0;
    for (const ArgumentSpec& argument : kernel.front_matter().arguments) {
        if (!is_given(argument.access)) {
            continue;
        }
        if (is_read(argument.access) || is_written(argument.access)) {
            auto array = call_array(kernel, argument, problem);
            if (!array || argument.access == Access::inout) {
                return std::nullopt;
            }
            array->place = place;
            arrays.push_back(std::move(*array));
        }
        ++place;
    }
    return arrays;
}

bool has_shared_output(std::span<const CallArray> arrays, void* const* arguments) {
    const auto begin = [&](const CallArray& array) { return bits_of(arguments[array.place]); };
    for (const CallArray& output : arrays) {
        for (const CallArray& other : arrays) {
            if (output.output && &other != &output && begin(output) < begin(other) + other.bytes &&
                begin(other) < begin(output) + output.bytes) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace jitune::internal
