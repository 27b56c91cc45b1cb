// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "formula/expression_writer.hpp"
#include "formula/template_parts.hpp"

namespace jitune::internal {

namespace {

/// How a shape is run: the header, the arguments behind the members, and the call of a runner.
struct HostShape {
    std::string header, derived, arguments, declared, elements;
    std::string call;  ///< "run_lines<LineShape::rows, {block}>(…, {threads}, {chunks}"
    bool is_flat;
};

HostShape shape_of(const FormulaBinding& binding) {
    const std::string offset(kernel_type(binding.offset));
    switch (binding.shape) {
        case LineShape::flat:
            break;
        case LineShape::rows:
            return {
                "jitune_host_formula_lines.h",
                "lines = \"rows\"\nlength = \"columns\"\n",
                "\"lines\", \"length\"",
                "Index lines, Index length",
                "rows * columns",
                "run_lines<LineShape::rows, {block}>(Lines<long long>{{lines, length, nullptr}}",
                false};
        case LineShape::columns:
            return {"jitune_host_formula_lines.h",
                    "lines = \"columns\"\nlength = \"rows\"\n",
                    "\"lines\", \"length\"",
                    "Index lines, Index length",
                    "rows * columns",
                    "run_columns<{block}>(lines, length",
                    false};
        case LineShape::segments:
            return {"jitune_host_formula_lines.h",
                    "lines = \"segments\"\nlength = \"ceil_div(values, max(1, segments))\"\n",
                    "\"lines\", \"length\", \"offsets\"",
                    "Index lines, Index length, const " + offset + "* offsets",
                    "values",
                    "run_lines<LineShape::segments, {block}>(Lines<" + offset +
                        ">{{lines, length, offsets}}",
                    false};
    }
    return {"jitune_host_formula.h", "", "\"n\"", "Index n", "n", "", true};
}

std::string host_space(const FormulaParts& parts, const HostShape& shape) {
    return fmt::format(R"toml(cache = "warm"
constraints = ["cores_per_thread <= cores"]
prune = [
    "threads <= max(1, bytes / 65536)",
    "chunks_per_thread = 1 OR (threads > 1 AND threads * chunks_per_thread * 65536 <= bytes)",
    "chunks_per_thread > 1 OR bytes <= 16 * cores * 65536 OR threads = 1",
]
reproducibility = "'fixed'"

[parameters]
cores_per_thread = {{ values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }}
chunks_per_thread = {{ values = [1, 4, 16], default = 16 }}
step = {{ values = [1024, 4096], default = 1024 }}

[[default]]  # threads that have a share
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, bytes / 65536)) - 1)"
chunks_per_thread = "bytes / (cores * 65536)"

[derived]
bytes = "{elements} * {total}"
threads = "cores / cores_per_thread"
{derived}{arguments}threads = {{ access = "scalar", type = "int32", value = "threads" }}
chunks_per_thread = {{ access = "scalar", type = "int32", value = "chunks_per_thread" }}
)toml",
                       fmt::arg("elements", shape.elements), fmt::arg("total", parts.bytes()),
                       fmt::arg("derived", shape.derived),
                       fmt::arg("arguments", arguments_of(parts)));
}

std::string structs_of(const FormulaParts& parts, const std::vector<StageWork>& stages,
                       const std::string& name) {
    std::string text;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const std::string its_name = fmt::format("{}{}", name, i);
        text += parts.binding.shape == LineShape::columns ? host_columns_stage(stages[i], its_name)
                                                          : host_stage(stages[i], its_name);
        text += "\n";
    }
    return text;
}

/// The calls that run the stages named `name` and their numbers.
std::string runs_of(const HostShape& shape, const std::vector<StageWork>& stages,
                    const std::string& name, std::string_view block, std::string_view threads,
                    std::string_view chunks) {
    std::string text, all;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const std::string one = fmt::format("{}{}{{{}}}", name, i, names_of(stages[i].members));
        text += fmt::format("    run_stage<{}{}, {}>({}, n, {}, {});\n", name, i, block, one,
                            threads, chunks);
        all += ", " + one;
    }
    return shape.is_flat
               ? text
               : fmt::format("    {}, {}, {}{});\n",
                             fmt::format(fmt::runtime(shape.call), fmt::arg("block", block)),
                             threads, chunks, all);
}

}  // namespace

std::string host_template(const FormulaParts& parts) {
    const HostShape shape = shape_of(parts.binding);
    const auto& stages = parts.kernels.stages();
    const auto& plain = parts.references.stages();
    const std::vector<StageMember> all = all_members(stages), all_plain = all_members(plain);
    return head_of(parts) + host_space(parts, shape) +
           fmt::format(
               R"toml(
[[launch]]
entry = "jitune::stages"
template = ["step"]
arguments = [{members}{arguments}, "threads", "chunks_per_thread"]

[reference]
entry = "jitune::plainly"
template = ["element"]
arguments = [{plain_members}{arguments}]
*/
#include "{header}"
{sources}
namespace jitune {{

{structs}template <int step>
void stages({declared}{more}, int threads, int chunks_per_thread) {{
{runs}}}

template <class>  // candidates do not compile it
void plainly({plain_declared}{more}) {{
{plain_runs}}}

}}  // namespace jitune
)toml",
               fmt::arg("members", quoted(all)), fmt::arg("arguments", shape.arguments),
               fmt::arg("plain_members", quoted(all_plain)), fmt::arg("header", shape.header),
               fmt::arg("sources", sources_of(parts)),
               fmt::arg("structs",
                        structs_of(parts, stages, "Stage") + structs_of(parts, plain, "Plain")),
               fmt::arg("declared", declared(all)), fmt::arg("more", shape.declared),
               fmt::arg("runs",
                        runs_of(shape, stages, "Stage", "step", "threads", "chunks_per_thread")),
               fmt::arg("plain_declared", declared(all_plain)),
               fmt::arg("plain_runs", runs_of(shape, plain, "Plain", "65536", "1", "1")));
}

}  // namespace jitune::internal
