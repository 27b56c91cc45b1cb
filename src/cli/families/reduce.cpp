// SPDX-License-Identifier: Apache-2.0
// `jitune reduce FILE`.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/families/custom_file.hpp"
#include "cli/families/file_command.hpp"
#include "cli/families/reduce_problems.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal::reduce_command {

namespace {

struct Value {
    Json json;
    std::string text;
};

/// Results of 8 bits are truth values.
Value value_of(ElementType type, const std::byte* bytes) {
    return visit_element(type, [&]<class R>(R value) -> Value {
        std::memcpy(&value, bytes, sizeof value);
        if constexpr (std::is_same_v<R, std::uint8_t>) {
            return {value != 0, fmt::format("{}", value != 0)};
        } else if constexpr (std::is_integral_v<R>) {
            return {value, fmt::format("{}", value)};
        } else if constexpr (std::is_floating_point_v<R>) {
            return {json_number(value), fmt::format("{}", value)};
        } else {
            const auto wide = static_cast<float>(value);
            return {json_number(wide), fmt::format("{}", wide)};
        }
    });
}

/// The problem as it is shown, without its value.
FileProblem described(const detail::ReduceRequest& request) {
    const auto& [element, result, reduction, shape] = request;
    const std::string name =
        reduction.custom != nullptr ? reduction.custom->name : std::string(to_string(reduction.op));
    FileProblem problem;
    problem.nothing = "nothing to launch for an empty array";
    problem.bytes = static_cast<double>(shape.inner) * static_cast<double>(bytes_of(element));
    problem.output_type = result;
    problem.json = {{"value", Json()},
                    {"result", to_string(result)},
                    {"type", to_string(element)},
                    {"n", shape.inner},
                    {"op", to_string(reduction.op)},
                    {"name", name},
                    {"determinism", to_string(reduction.determinism)}};
    problem.lines = {{name, ""}, {"of", fmt::format("{} {}", shape.inner, to_string(element))}};
    return problem;
}

struct ReduceFile : FileCommand {
    std::vector<Option> options() override;
    void check() override;
    FileProblem problem(const NpyFile& array) override;
    /// The value, in the JSON document and in the first line.
    void complete(FileProblem& problem) const override;

    /// Refers to `custom`.
    [[nodiscard]] Reduction reduction() const;

    std::string op = "sum";
    std::optional<std::string> custom_file;  ///< in place of op
    std::optional<CustomOperation> custom;   ///< of that file
    std::string result;                      ///< empty: the operation's own
    std::string determinism = "run_to_run";
    std::optional<std::string> configuration;  ///< else the best there is
};

std::vector<Option> ReduceFile::options() {
    return {{"FILE",
             &file,
             "A .npy array of bool, or of little-endian integers or floats of up to 64 bits",
             {.required = true}},
            {"--op", &op, fmt::format("Operation: {} [sum]", named_ops())},
            {"--result", &result, "Element type of the result [the operation's own]"},
            {"--custom",
             &custom_file,
             "A .toml file with an operation of your own",
             {.excludes = {"--op", "--result"}}},
            {"--determinism", &determinism,
             "Reproducibility: run_to_run (equal bits in each run) or any [run_to_run]"},
            {"--configuration",
             &configuration,
             "Use this configuration, written as jitune prints it",
             {.excludes = {"--determinism"}}}};
}

Reduction ReduceFile::reduction() const {
    Reduction reduction = custom ? Reduction(*custom) : Reduction(parse_named_op(op));
    reduction.determinism = parse_unpinned(determinism);
    if (configuration) {
        reduction.determinism = Determinism::pinned;
        reduction.configuration = *configuration;
    }
    return reduction;
}

void ReduceFile::check() {
    if (custom_file) {
        custom = read_custom(*custom_file);
    }
    static_cast<void>(reduction());
}

FileProblem ReduceFile::problem(const NpyFile& array) {
    const Reduction operation = reduction();
    const ElementType element = array.header().type;
    const detail::ReduceRequest request{
        element, custom ? custom->result : parse_result(element, operation.op, result), operation,
        detail::ReduceShape::all(static_cast<std::int64_t>(array.header().count))};
    FileProblem problem = described(request);
    if (is_empty(request.shape)) {
        const auto neutral = nothing_of(request);
        problem.output.assign(neutral.begin(), neutral.end());
        return problem;
    }
    problem.launch = [request, &array](Engine& engine, Device& device) -> FileProblem::Launch {
        refuse_bad_shape(request.shape);
        const Problem reduced = reduce_problem(request);
        Case data;
        data.sizes = reduced.sizes;
        data.arguments = {input_of(array.data(), array.header().count * bytes_of(request.element)),
                          CaseArgument::output(bytes_of(request.result))};
        return {resolve_reduce(engine, device, request),
                {device, reduce_kernel(request.shape.kind, device.info().platform), reduced},
                std::move(data)};
    };
    return problem;
}

void ReduceFile::complete(FileProblem& problem) const {
    const Value value = value_of(problem.output_type, problem.output.data());
    problem.json["value"] = value.json;
    problem.lines.front().second = value.text;
}

}  // namespace

Invocation invocation() {
    return file_invocation(std::make_shared<ReduceFile>());
}

}  // namespace jitune::internal::reduce_command
