// SPDX-License-Identifier: Apache-2.0
// What the command line has of stencils: their row in sweep_families() and `jitune stencil FILE`.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/families/file_command.hpp"
#include "cli/families/sizes.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "families/families.hpp"
#include "families/stencil/stencil_call.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal {

SweepFamily stencil_sweep_family();

namespace stencil_command {

namespace {

void refuse_other_weighting(const std::string& name) {
    if (name != "sum" && name != "mean" && name != "weights") {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is not a weighting: use sum, mean or weights", name));
    }
}

/// Weights that are all 1: the problem depends on their number alone.
std::span<const double> ones(int radius) {
    static const std::vector<double> kOnes(2 * Stencil::kMaxRadius + 1, 1.0);
    return std::span(kOnes).first(2 * static_cast<std::size_t>(radius) + 1);
}

/// Every combination of radius, weighting and boundary.
std::vector<Stencil> stencils_of(const FamilyArguments& arguments) {
    std::vector<Stencil> stencils;
    const auto boundaries = parse_list("--boundary", arguments.at("--boundary"));
    for (const std::string& radius : parse_list("--radius", arguments.at("--radius"))) {
        for (const std::string& weighting :
             parse_list("--weighting", arguments.at("--weighting"))) {
            refuse_other_weighting(weighting);
            Stencil stencil{.radius = parse_radius(radius), .mean = weighting == "mean"};
            if (weighting == "weights") {
                stencil.weights = ones(stencil.radius);
            }
            for (const std::string& boundary : boundaries) {
                stencil.boundary = parse_boundary(boundary);
                stencils.push_back(stencil);
            }
        }
    }
    return stencils;
}

PlannedProblem planned_of(const detail::StencilRequest& request, std::int64_t last) {
    const Stencil& stencil = request.stencil;
    const std::string type(to_string(request.element));
    const std::string weighting(weighting_of(stencil));
    const std::string boundary(to_string(stencil.boundary));
    const std::string radius = std::to_string(stencil.radius);
    constexpr std::size_t kAligned = 16;
    const std::string sizes = span_text(size_text(request.n), size_text(last));
    Problem problem = stencil_problem(request, kAligned);
    const double bytes = launch_bytes(problem).value_or(0);
    PlannedProblem planned{
        {std::move(problem), stencil_kernel_on,
         fmt::format("{} radius {} {} {} {}", type, radius, weighting, boundary, sizes), bytes},
        {type, radius, weighting, boundary, sizes},
        {{"type", type},
         {"radius", stencil.radius},
         {"weighting", weighting},
         {"boundary", boundary},
         {"n", request.n}}};
    if (last != request.n) {
        planned.problem.domain = SizeBox{{request.n}, {last}};
        planned.json["last"] = {{"n", last}};
    }
    return planned;
}

SweepPlan plan_of(const FamilyArguments& arguments) {
    SweepPlan plan{
        "stencil",
        {},
        {{"type"}, {"radius", Align::right}, {"weighting"}, {"boundary"}, {"size", Align::right}},
        {}};
    const auto sizes = parse_sizes(arguments.at("--sizes"));
    const std::string& types = arguments.at("--types");
    for (const std::string& type :
         parse_list("--types", types == "all" ? "int32,float32,float64" : types)) {
        for (const Stencil& stencil : stencils_of(arguments)) {
            for (const auto& [n, last] : sizes) {
                if (stencil_outputs(n, stencil) > 0) {
                    plan.problems.push_back(
                        planned_of({parse_element_type(type), stencil, n}, last));
                }
            }
        }
    }
    if (plan.problems.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("--sizes: {} inputs have no output of radius {} with boundary {}",
                                arguments.at("--sizes"), arguments.at("--radius"),
                                arguments.at("--boundary")));
    }
    return plan;
}

struct StencilFile : FileCommand {
    StencilFile() { can_be_placed = true; }
    std::vector<Option> options() override;
    FileProblem problem(const NpyFile& array) override;

    std::string radius = "1";
    std::optional<std::string> weight_list;
    std::vector<double> weights;  ///< of that list
    std::string boundary = "valid";
    bool mean = false;
};

std::vector<Option> StencilFile::options() {
    return {{"FILE", &file, "A .npy array of int32, float32 or float64", {.required = true}},
            {"--radius", &radius, "Neighbours on each side, 1 to 32 [1]"},
            {"--weights", &weight_list, "2 radius + 1 numbers, separated by commas [all 1]"},
            {"--mean", &mean, "Divide each sum by 2 radius + 1", {.excludes = {"--weights"}}},
            {"--boundary", &boundary,
             "Neighbours outside the array: valid (no such outputs), zero, clamp or wrap [valid]"},
            {"--output", &output, "Write the outputs to this .npy file"}};
}

FileProblem StencilFile::problem(const NpyFile& array) {
    if (weight_list) {
        weights = parse_weights(*weight_list);
    }
    const Stencil stencil{parse_radius(radius), weights, mean, parse_boundary(boundary)};
    const detail::StencilRequest request{array.header().type, stencil,
                                         static_cast<std::int64_t>(array.header().count)};
    const StencilWeights values(request);
    const std::int64_t outputs = stencil_outputs(request.n, stencil);
    const std::size_t element = bytes_of(request.element);
    FileProblem problem;
    problem.nothing = "nothing to launch for no outputs";
    problem.bytes = static_cast<double>(request.n + outputs) * static_cast<double>(element);
    problem.output_type = request.element;
    problem.output_shape = {outputs};
    problem.json = {{"type", to_string(request.element)},
                    {"n", request.n},
                    {"radius", stencil.radius},
                    {"weighting", weighting_of(stencil)},
                    {"boundary", to_string(stencil.boundary)},
                    {"outputs", outputs}};
    problem.lines = {{"stencil", fmt::format("{} of radius {}, {}", weighting_of(stencil),
                                             stencil.radius, to_string(stencil.boundary))},
                     {"of", fmt::format("{} {}", request.n, to_string(request.element))},
                     {"outputs", fmt::format("{}", outputs)}};
    if (outputs > 0) {
        problem.launch = [=, &array](Engine& engine, Device& device) -> FileProblem::Launch {
            Case data;
            data.sizes = {request.n};
            data.arguments = {input_of(array.data(), array.header().count * element),
                              input_of(values.bytes().data(), values.bytes().size()),
                              CaseArgument::output(static_cast<std::size_t>(outputs) * element)};
            data.arguments[1].by_value = true;
            return {resolve_stencil(engine, device, request, kFastAlignment),
                    {device, stencil_kernel_on(device), stencil_problem(request, kFastAlignment)},
                    std::move(data)};
        };
    }
    return problem;
}

}  // namespace

Invocation invocation() {
    return file_invocation(std::make_shared<StencilFile>());
}

}  // namespace stencil_command

SweepFamily stencil_sweep_family() {
    return {"stencil",
            "Weighted sums of each element's neighbourhood",
            {{{"--types", "float32", "Of int32, float32, float64, by comma, or all [float32]"}},
             {{"--radius", "1,8,25", "Of 1 to 32, by comma [1,8,25]"},
              {{"--radius", "1", "Of a stencil: 1 to 32 [1]"}}},
             {{"--weighting", "sum", "Of sum, mean, weights, by comma [sum]"},
              {{"--weighting", "sum", "sum, mean or weights [sum]"}}},
             {{"--boundary", "valid", "Of valid, zero, clamp, wrap, by comma [valid]"},
              {{"--boundary", "valid", "valid, zero, clamp or wrap [valid]"}}},
             {{"--sizes", "2^20,2^24,2^27",
               "As in 1000,2^20+7 or 2^10..2^28, which doubles [2^20,2^24,2^27]"}}},
            stencil_command::plan_of};
}

}  // namespace jitune::internal
