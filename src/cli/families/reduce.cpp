// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/device_argument.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/families/custom_file.hpp"
#include "cli/families/file_run.hpp"
#include "cli/families/reduce_arguments.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/npy.hpp"
#include "families/reduce/reduce_call.hpp"
#include "sweep/timed_reduce.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal::reduce_command {

namespace {

struct Arguments : FileRunArguments {
    std::string op = "sum";
    std::optional<std::string> custom;  ///< a file, in place of op
    std::string result;                 ///< empty: the operation's own
    std::string determinism = "run_to_run";
    std::optional<std::string> configuration;  ///< else the best there is
};

struct Value {
    Json json;
    std::string text;
};

struct Answer {
    Value value;
    FileRun run;
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

/// `custom` must outlive the reduction.
Reduction reduction_of(const Arguments& arguments, const std::optional<CustomOperation>& custom) {
    Reduction reduction = custom ? Reduction(*custom) : Reduction(parse_named_op(arguments.op));
    reduction.determinism = parse_unpinned(arguments.determinism);
    if (arguments.configuration) {
        reduction.determinism = Determinism::pinned;
        reduction.configuration = *arguments.configuration;
    }
    return reduction;
}

Answer answer(const Arguments& arguments, const NpyFile& file,
              const detail::ReduceRequest& request) {
    const Options options = arguments.options();
    if (is_empty(request.shape)) {
        return {value_of(request.result, nothing_of(request).data()), {}};
    }
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    const TimedReduction reduction =
        timed_reduce(engine, chosen_device(engine, arguments.device), request, file.data());
    const auto bytes = static_cast<double>(file.header().count * bytes_of(request.element));
    return {value_of(request.result, reduction.value),
            {reduction.info, reduction.seconds, bytes / reduction.seconds / 1e9,
             engine.counters().compiles}};
}

std::string operation_name(const Reduction& reduction) {
    return reduction.custom != nullptr ? reduction.custom->name
                                       : std::string(to_string(reduction.op));
}

Json to_json(const Answer& answer, const detail::ReduceRequest& request) {
    const auto& [element, result, reduction, shape] = request;
    Json document;
    document["value"] = answer.value.json;
    document["result"] = to_string(result);
    document["type"] = to_string(element);
    document["n"] = shape.inner;
    document["op"] = to_string(reduction.op);
    document["name"] = operation_name(reduction);
    document["determinism"] = to_string(reduction.determinism);
    answer.run.add_to(document);
    return document;
}

std::string to_text(const Answer& answer, const detail::ReduceRequest& request) {
    return file_run_line(operation_name(request.reduction), answer.value.text) +
           file_run_line("of",
                         fmt::format("{} {}", request.shape.inner, to_string(request.element))) +
           answer.run.text("nothing to launch for an empty array");
}

int run(const Arguments& arguments) {
    std::optional<CustomOperation> custom;
    if (arguments.custom) {
        custom = read_custom(*arguments.custom);
    }
    const Reduction reduction = reduction_of(arguments, custom);
    const NpyFile file(arguments.file);
    const ElementType element = file.header().type;
    const ElementType result =
        custom ? custom->result : parse_result(element, reduction.op, arguments.result);
    const detail::ReduceRequest request{
        element, result, reduction,
        detail::ReduceShape::all(static_cast<std::int64_t>(file.header().count))};
    const Answer reduced = answer(arguments, file, request);
    if (arguments.json) {
        print_json(to_json(reduced, request));
    } else {
        print(to_text(reduced, request));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE",
         &given.file,
         "A .npy array of bool, or of little-endian integers or floats of up to 64 bits",
         {.required = true}},
        {"--op", &given.op, fmt::format("Operation: {} [sum]", named_ops())},
        {"--result", &given.result, "Element type of the result [the operation's own]"},
        {"--custom",
         &given.custom,
         "A .toml file with an operation of your own",
         {.excludes = {"--op", "--result"}}},
        {"--determinism", &given.determinism,
         "Reproducibility: run_to_run (equal bits in each run) or any [run_to_run]"},
        {"--configuration",
         &given.configuration,
         "Use this configuration, written as jitune prints it",
         {.excludes = {"--determinism"}}}};
    append(options, given.dispatch_options());
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::reduce_command
