// SPDX-License-Identifier: Apache-2.0
// What the command line has of entropies: their row in sweep_families() and `jitune entropy FILE`.
#include <bit>
#include <charconv>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/families/file_command.hpp"
#include "cli/families/sizes.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal {

SweepFamily entropy_sweep_family();

namespace entropy_command {

namespace {

int parse_whole_number(std::string_view option, std::string_view text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, value).ptr != end || text.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: \"{}\" is not a whole number", option, text));
    }
    return value;
}

/// An entropy of the natural logarithm from --window and --levels. Throws Error(usage) for text
/// that is not a whole number; the values are checked with the request.
Entropy parse_entropy(std::string_view window, std::string_view levels) {
    return {parse_whole_number("--window", window), parse_whole_number("--levels", levels)};
}

/// Throws Error(usage) for a type that levels are not stored as.
void refuse_other_elements(ElementType type) {
    if (type != ElementType::uint8 && type != ElementType::int32 && type != ElementType::float32) {
        throw Error(ErrorKind::usage, fmt::format("entropy of {}: levels are uint8, int32 or "
                                                  "float32",
                                                  to_string(type)));
    }
}

PlannedProblem planned_of(const detail::EntropyRequest& request, const SizePair& last) {
    refuse_bad_entropy(request);
    const auto& [element, rows, columns, entropy] = request;
    const std::string type(to_string(element));
    const std::string size =
        span_text(fmt::format("{}x{}", size_text(rows), size_text(columns)),
                  fmt::format("{}x{}", size_text(last.outer), size_text(last.inner)));
    Problem problem = entropy_problem(request);
    const double bytes = launch_bytes(problem).value_or(0);
    PlannedProblem planned{
        {std::move(problem), entropy_kernel_on,
         fmt::format("{} window {} levels {} {}", type, entropy.window, entropy.levels, size),
         bytes},
        {type, fmt::format("{}", entropy.window), fmt::format("{}", entropy.levels), size},
        {{"type", type},
         {"window", entropy.window},
         {"levels", entropy.levels},
         {"rows", rows},
         {"columns", columns}}};
    if (last != SizePair{rows, columns}) {
        planned.problem.domain = SizeBox{{rows, columns}, {last.outer, last.inner}};
        planned.json["last"] = {{"rows", last.outer}, {"columns", last.inner}};
    }
    return planned;
}

/// Every combination of window and levels.
std::vector<Entropy> entropies_of(const FamilyArguments& arguments) {
    std::vector<Entropy> entropies;
    for (const std::string& window : parse_list("--window", arguments.at("--window"))) {
        for (const std::string& levels : parse_list("--levels", arguments.at("--levels"))) {
            entropies.push_back(parse_entropy(window, levels));
        }
    }
    return entropies;
}

SweepPlan plan_of(const FamilyArguments& arguments) {
    SweepPlan plan{
        "entropy",
        {},
        {{"type"}, {"window", Align::right}, {"levels", Align::right}, {"size", Align::right}},
        {}};
    const auto sizes = parse_size_pairs(arguments.at("--sizes"));
    const std::string& types = arguments.at("--types");
    for (const std::string& type :
         parse_list("--types", types == "all" ? "uint8,int32,float32" : types)) {
        const ElementType element = parse_element_type(type);
        refuse_other_elements(element);
        for (const Entropy& entropy : entropies_of(arguments)) {
            for (const auto& [first, last] : sizes) {
                plan.problems.push_back(
                    planned_of({element, first.outer, first.inner, entropy}, last));
            }
        }
    }
    return plan;
}

struct EntropyFile : FileCommand {
    EntropyFile() { can_be_placed = true; }
    std::vector<Option> options() override;
    FileProblem problem(const NpyFile& array) override;

    std::string window = "5";
    std::string levels = "16";
    double base = std::numbers::e;
};

detail::EntropyRequest request_of(const EntropyFile& given, const NpyHeader& header) {
    if (header.shape.size() != 2 || header.fortran_order) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{}: has {} dimension{} in {} order: must have two dimensions in C order",
                        given.file, header.shape.size(), header.shape.size() == 1 ? "" : "s",
                        header.fortran_order ? "Fortran" : "C"));
    }
    refuse_other_elements(header.type);
    Entropy entropy = parse_entropy(given.window, given.levels);
    entropy.base = given.base;
    const detail::EntropyRequest request{header.type, header.shape[0], header.shape[1], entropy};
    refuse_bad_entropy(request);
    return request;
}

std::vector<Option> EntropyFile::options() {
    return {{"FILE",
             &file,
             "A .npy array of two dimensions, of uint8, int32 or float32 levels",
             {.required = true}},
            {"--window", &window, "Rows and columns of the window, odd, 3 to 15 [5]"},
            {"--levels", &levels, "Number of levels, 2 to 256 [16]"},
            {"--base", &base, "Base of the logarithm [e]"},
            {"--output", &output, "Write the entropies to this .npy file"}};
}

FileProblem EntropyFile::problem(const NpyFile& array) {
    const NpyHeader& header = array.header();
    const detail::EntropyRequest request = request_of(*this, header);
    const Entropy& entropy = request.entropy;
    const std::size_t element = bytes_of(request.element);
    FileProblem problem;
    problem.nothing = "nothing to launch for an empty array";
    problem.bytes =
        static_cast<double>(header.count) * static_cast<double>(element + sizeof(float));
    problem.output_shape = header.shape;
    problem.json = {{"type", to_string(request.element)}, {"rows", request.rows},
                    {"columns", request.columns},         {"window", entropy.window},
                    {"levels", entropy.levels},           {"base", entropy.base}};
    problem.lines = {{"entropy", fmt::format("of windows of {0} x {0}, {1} levels, base {2}",
                                             entropy.window, entropy.levels, entropy.base)},
                     {"of", fmt::format("{} x {} {}", request.rows, request.columns,
                                        to_string(request.element))}};
    if (header.count > 0) {
        problem.launch = [request, &array](Engine& engine, Device& device) -> FileProblem::Launch {
            const std::size_t count = array.header().count;
            Case data;
            data.sizes = {request.rows, request.columns};
            data.arguments = {input_of(array.data(), count * bytes_of(request.element)),
                              {},
                              CaseArgument::output(count * sizeof(float))};
            data.arguments[1].value = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
            return {resolve_entropy(engine, device, request),
                    {device, entropy_kernel_on(device), entropy_problem(request)},
                    std::move(data)};
        };
    }
    return problem;
}

}  // namespace

Invocation invocation() {
    return file_invocation(std::make_shared<EntropyFile>());
}

}  // namespace entropy_command

SweepFamily entropy_sweep_family() {
    return {
        "entropy",
        "The entropy of the window around each element",
        {{{"--types", "float32", "Of uint8, int32, float32, by comma, or all [float32]"}},
         {{"--window", "5", "Odd, of 3 to 15, by comma [5]"},
          {{"--window", "5", "Of an entropy: odd, 3 to 15 [5]"}}},
         {{"--levels", "16", "Of 2 to 256, by comma [16]"}, {{"--levels", "16", "2 to 256 [16]"}}},
         {{"--sizes", "400x400,2560x2560,10240x10240",
           "Rows x columns, as in 400x640,2^12x2^10 [400x400,2560x2560,10240x10240]"}}},
        entropy_command::plan_of};
}

}  // namespace jitune::internal
