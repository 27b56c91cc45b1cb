// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "formula/expression_writer.hpp"
#include "formula/template_parts.hpp"

namespace jitune::internal {

namespace {

bool is_columns(const FormulaParts& parts) {
    return parts.binding.shape == LineShape::columns;
}

bool is_segments(const FormulaParts& parts) {
    return parts.binding.shape == LineShape::segments;
}

std::string_view shape_name(const FormulaParts& parts) {
    return is_columns(parts)    ? "LineShape::columns"
           : is_segments(parts) ? "LineShape::segments"
                                : "LineShape::rows";
}

/// The sizes of lines in terms of the template's sizes.
std::string line_sizes(const FormulaParts& parts) {
    return is_columns(parts) ? "lines = \"columns\"\nlength = \"rows\"\n"
           : is_segments(parts)
               ? "lines = \"segments\"\nlength = \"ceil_div(values, max(1, segments))\"\n"
               : "lines = \"rows\"\nlength = \"columns\"\n";
}

/// Which threads work on a line. Neighbouring threads of a column have neighbouring columns, so
/// that each reads single elements; others read packs.
std::string line_threads(const FormulaParts& parts) {
    if (is_columns(parts)) {
        return R"toml(prune = [
    "unroll * {bytes} <= 256 OR unroll = 1",
    "lanes <= max(1, length)",
    "lanes * unroll / 2 < length OR unroll = 1",
    # Neighbouring threads for whole lines of the cache, but not many without a column.
    "block / lanes >= min(32, lines) AND (block / lanes < 2 * lines OR block = 64)",
    {held}
    # Few long columns need several blocks each.
    "split = 0 OR (lanes >= 8 AND groups < 2 * sm_count)",
    "split = 1 OR groups * 4 >= sm_count OR length <= 4096",
{common}
lanes = {{ values = [1, 2, 4, 8, 16, 32], default = 8 }}
vector = {{ values = [1], default = 1 }}
)toml";
    }
    return R"toml(prune = [
    "vector * {widest} <= 16 AND (vector = 1 OR length % vector = 0)",
    "unroll * vector * {bytes} <= 256 OR (unroll = 1 AND vector * {widest} <= 16)",
    "lanes = 1 OR lanes * vector / 2 < length",
    "by_block OR length <= lanes * vector * unroll * 32",
    "NOT by_block OR length >= block * vector / 4",
    "unroll = 1 OR lanes * vector * unroll / 2 < length",
    {held}
    # Few long rows need several blocks each.
    "split = 0 OR (by_block AND groups < 2 * sm_count AND length > 4096)",
    "split = 0 OR unroll * vector * {bytes} >= 32 OR unroll = 16",
    "split = 1 OR groups * 4 >= sm_count OR length <= 16384",
{common}
lanes = {{ values = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], default = 32 }}
vector = {{ values = [{vectors}], default = {vector} }}
)toml";
}

/// As Stored in jitune_finish.h has a state.
std::size_t stored_bytes(const StageWork& stage) {
    return stage.state_bytes <= 8 ? 8 : (stage.state_bytes + 15) / 16 * 16;
}

/// Of the largest state.
std::size_t most_stored_bytes(const FormulaParts& parts) {
    std::size_t most = 8;
    for (const StageWork& stage : parts.kernels.stages()) {
        most = std::max(most, stored_bytes(stage));
    }
    return most;
}

/// Of the states that a thread puts into shared memory: each stage has room of its own.
std::size_t shared_bytes(const FormulaParts& parts) {
    std::size_t total = 0;
    for (const StageWork& stage : parts.kernels.stages()) {
        total += stage.reductions.empty() ? 0 : stored_bytes(stage);
    }
    return total;
}

/// Of a block.
constexpr std::size_t kSharedBytes = 32768;

/// Where there are several stages, a line is read once if its threads can hold it; else by whole
/// blocks.
std::string held_lines(const FormulaParts& parts) {
    if (parts.kernels.stages().size() < 2) {
        return "";
    }
    const std::size_t held = std::max<std::size_t>(256 / parts.most_bytes(), 1);
    // A warp's width of columns: a block's other threads share them, as far as their states have
    // room.
    const std::size_t room = kSharedBytes / std::max<std::size_t>(shared_bytes(parts), 1);
    const std::size_t lanes = std::bit_floor(std::clamp<std::size_t>(room, 32, 1024)) / 32;
    return is_columns(parts)
               ? fmt::format("\"split = 1 OR lanes * unroll >= length OR length > {}\",",
                             lanes * std::min<std::size_t>(held, 16))
               : fmt::format(
                     "\"split = 1 OR lanes * vector * unroll >= length OR (by_block AND length "
                     "> 1024 * iif(length % {} = 0, {}, 16))\",",
                     std::max<std::size_t>(16 / parts.widest(), 1), held);
}

/// The widest vectors of a row that leave each thread of a warp something to load.
std::string widest_vector(const FormulaParts& parts) {
    std::string text = "1";
    for (std::size_t vector = 2; vector <= std::min<std::size_t>(16 / parts.widest(), 8);
         vector *= 2) {
        // Of a short row, a few for each thread; of others, threads for a warp at least.
        text = fmt::format(
            "iif(length % {0} = 0 AND length > iif(length <= 64, 3, 32) * {0}, {0}, {1})", vector,
            text);
    }
    return text;
}

std::string lines_space(const FormulaParts& parts) {
    const std::size_t widest = parts.widest();
    constexpr std::string_view kCommon =
        R"toml(    "blocks_per_sm = 1024 OR split = 1 OR sm_count * blocks_per_sm < groups",
]
reproducibility = "'fixed'"

[parameters]
block = { values = [64, 128, 256, 512, 1024], default = 256 })toml";
    const std::string lanes = is_columns(parts) ? fmt::format("\"lanes = 1 OR block * {} <= {}\"",
                                                              shared_bytes(parts), kSharedBytes)
                                                : "\"lanes <= 32 OR by_block\"";
    return fmt::format(R"toml(constraints = ["block <= max_threads_per_block", {lanes}]
)toml",
                       fmt::arg("lanes", lanes)) +
           fmt::format(
               fmt::runtime(line_threads(parts)), fmt::arg("common", kCommon),
               fmt::arg("widest", widest), fmt::arg("bytes", parts.most_bytes()),
               fmt::arg("held", held_lines(parts)),
               fmt::arg("vectors", is_segments(parts) ? "1" : "1, 2, 4, 8, 16"),
               fmt::arg("vector", is_segments(parts) ? 1 : std::max<std::size_t>(16 / widest, 1))) +
           fmt::format(
               R"toml(unroll = {{ values = [1, 2, 4, 8, 16], default = {unroll} }}
blocks_per_sm = {{ values = [2, 4, 8, 16, 1024], default = 1024 }}
split = {{ values = [0, 1], default = 0 }}

[derived]
{derived}widest_vector = "{widest_vector}"
by_block = "lanes = block"
groups = "max(1, ceil_div(lines, block / lanes))"
parts = "iif(split = 0, 1, max(1, min(min(1024, ceil_div(length, lanes * vector * unroll)), sm_count * min(blocks_per_sm, 16) / groups)))"
{arguments}parts = {{ access = "scalar", type = "uint32", value = "parts" }}
partials = {{ access = "scratch", type = "uint64", count = "iif(split = 0, 1, {words} * lines * parts)" }}
counters = {{ access = "zeroed", type = "uint32", count = "iif(split = 0, 1, groups)" }}
)toml",
               fmt::arg("unroll", parts.most_bytes() <= 8 ? 4 : 2),
               fmt::arg("derived", line_sizes(parts)),
               fmt::arg("widest_vector", widest_vector(parts)),
               fmt::arg("arguments", arguments_of(parts)),
               fmt::arg("words", most_stored_bytes(parts) / 8));
}

std::string column_defaults(const FormulaParts& parts) {
    const bool has_stages = parts.kernels.stages().size() > 1;
    return fmt::format(R"toml(
[[default]]  # a thread for each column
when = "length <= 4"
block = 64
lanes = 1
unroll = "2 * length - 1"

[[default]]  # threads that hold a column at once
when = "length <= 64"
block = "iif(lines > 16, 128, 64)"
lanes = 4
unroll = "2 * ceil_div(length, 4) - 1"

[[default]]  # few columns: all threads of small blocks
when = "lines <= 16"
block = "iif(lines > 8, 128, 64)"
unroll = {few_loads}
blocks_per_sm = "iif(length > 4096, 4, 1024)"
split = "iif(length > 4096, 1, 0)"

[[default]]
block = 512
lanes = 16
unroll = {loads}
blocks_per_sm = "iif(length > 4096 AND ceil_div(lines, 32) * 4 < sm_count, 8, 1024)"
split = "iif(length > 4096 AND ceil_div(lines, 32) * 4 < sm_count, 1, 0)"
)toml",
                       fmt::arg("few_loads", has_stages ? "\"iif(length <= 128, 16, 4)\"" : "4"),
                       fmt::arg("loads", has_stages ? "\"iif(length <= 256, 2 * ceil_div(length, "
                                                      "16) - 1, iif(length > 4096, 16, 4))\""
                                                    : "\"iif(length > 4096, 16, 4)\""));
}

/// Threads that hold a row at once: those of a warp where rows are many, else those of a block.
std::string row_defaults(const FormulaParts& parts) {
    return fmt::format(
        R"toml(
[[default]]
when = "length <= 64"
block = 128
lanes = "min(32, 2 * ceil_div(length, widest_vector * iif(length <= 8 * widest_vector, 1, 2)) - 1)"
vector = "widest_vector"
unroll = "iif(length <= 8 * widest_vector, 1, 2)"

[[default]]
when = "rows >= 16 * sm_count AND length <= 32 * min(16 * widest_vector, {held})"
vector = "widest_vector"
unroll = "2 * ceil_div(length, 32 * widest_vector) - 1"

[[default]]
when = "length <= 512 * min(16 * widest_vector, {held})"
block = "max(64, min(512, 2 * ceil_div(length, 2 * widest_vector) - 1))"
lanes = "max(64, min(512, 2 * ceil_div(length, 2 * widest_vector) - 1))"
vector = "widest_vector"
unroll = "iif(length <= 64 * widest_vector, 1, max(2, 2 * ceil_div(length, 512 * widest_vector) - 1))"

[[default]]  # few long rows: several blocks for each
when = "rows * 4 < sm_count AND length > 16384"
block = 512
lanes = 512
vector = "widest_vector"
unroll = "ceil_div({least}, widest_vector)"
blocks_per_sm = 4
split = 1

[[default]]
block = 1024
lanes = 1024
vector = "widest_vector"
unroll = "min(16, {held} / widest_vector)"
)toml",
        fmt::arg("held", std::bit_floor(std::max<std::size_t>(256 / parts.most_bytes(), 1))),
        fmt::arg("least", std::bit_ceil(std::max<std::size_t>(32 / parts.most_bytes(), 1))));
}

/// The defaults by size; docs/reference/performance.md has what they lose. Segments have no such
/// defaults: nobody knows their lengths.
std::string line_defaults(const FormulaParts& parts) {
    return is_segments(parts)  ? ""
           : is_columns(parts) ? column_defaults(parts)
                               : row_defaults(parts);
}

/// One launch of all stages, or of long lines one of each.
std::string line_launches(const FormulaParts& parts, const std::string& arguments) {
    std::string text;
    for (std::size_t i = 0; i < parts.kernels.stages().size(); ++i) {
        text += fmt::format(R"toml(
[[launch]]
{when}entry = "jitune::lines_{i}"
template = ["block", "lanes", "vector", "unroll", "split"]
arguments = [{arguments}, "parts", "partials", "counters"]
block = "block"
grid = "iif(split = 0, min(groups, sm_count * blocks_per_sm), groups * parts)"
programmatic = "compute_capability >= 90"
)toml",
                            fmt::arg("when", i == 0 ? "" : "when = \"split = 1\"\n"),
                            fmt::arg("i", i), fmt::arg("arguments", arguments));
    }
    return text;
}

/// How kernels declare, give and pass on the lines of a call.
struct LineTexts {
    explicit LineTexts(const FormulaParts& parts) {
        const std::string offset(
            kernel_type(is_segments(parts) ? parts.binding.offset : ElementType::int64));
        const bool has_offsets = is_segments(parts);
        declared = "Index lines, Index length";
        declared += has_offsets ? fmt::format(", const {}* offsets", offset) : "";
        quoted = "\"lines\", \"length\"";
        quoted += has_offsets ? ", \"offsets\"" : "";
        value = fmt::format("Lines<{}>{{lines, length, {}}}", offset,
                            has_offsets ? "offsets" : "nullptr");
    }
    std::string declared, quoted, value;
};

/// Kernel `i` runs all stages, or stage `i` of long lines.
std::string line_kernels(const FormulaParts& parts, const LineTexts& lines) {
    const std::vector<StageMember> all = all_members(parts.kernels.stages());
    const std::size_t count = parts.kernels.stages().size();
    std::string stages, kernels;
    for (std::size_t i = 0; i < count; ++i) {
        stages += fmt::format(", Formula{}", i);
    }
    for (std::size_t i = 0; i < count; ++i) {
        kernels += fmt::format(
            R"(template <int block, int lanes, int vector, int unroll, int split>
__global__ void __launch_bounds__(block)
    lines_{i}({declared}{lines}, unsigned parts, void* partials, void* counters) {{
    const Formula formula{{{names}}};
    if constexpr (split != 0) {{
        run_parts<{shape}, block, lanes, vector, unroll, Formula{i}>(formula, {value}, parts, {{partials, counters}});
    }} else if constexpr ({i} == 0) {{  // the other launches are left out
        run_lines<{shape}, block, lanes, vector, unroll{stages}>(formula, {value});
    }}
}}

)",
            fmt::arg("i", i), fmt::arg("declared", declared(all)),
            fmt::arg("lines", lines.declared), fmt::arg("names", names_of(all)),
            fmt::arg("shape", shape_name(parts)), fmt::arg("value", lines.value),
            fmt::arg("stages", stages));
    }
    return kernels;
}

}  // namespace

std::string device_lines_template(const FormulaParts& parts) {
    const LineTexts lines(parts);
    std::string plain_stages;
    for (std::size_t i = 0; i < parts.references.stages().size(); ++i) {
        plain_stages += fmt::format(", Plain{}", i);
    }
    const std::vector<StageMember> plain = all_members(parts.references.stages());
    return head_of(parts) + lines_space(parts) + line_defaults(parts) +
           line_launches(parts, quoted(all_members(parts.kernels.stages())) + lines.quoted) +
           fmt::format(
               R"toml(
[reference]
entry = "jitune::plainly"
template = ["element"]
arguments = [{arguments}]
block = "256"
grid = "max(1, min(lines, 65536))"
*/
#include "jitune_formula_lines.h"
{sources}
namespace jitune {{

{kernel_code}
{kernels}{plain_code}
template <class>  // candidates do not compile it
__global__ void __launch_bounds__(256) plainly({declared}{lines}) {{
    run_lines_plainly<{shape}, 256{stages}>(Plain{{{names}}}, {value});
}}

}}  // namespace jitune
)toml",
               fmt::arg("arguments", quoted(plain) + lines.quoted),
               fmt::arg("sources", sources_of(parts)),
               fmt::arg("kernel_code", device_lines(parts.kernels.stages(), "Formula")),
               fmt::arg("kernels", line_kernels(parts, lines)),
               fmt::arg("plain_code", device_lines(parts.references.stages(), "Plain")),
               fmt::arg("declared", declared(plain)), fmt::arg("lines", lines.declared),
               fmt::arg("shape", shape_name(parts)), fmt::arg("stages", plain_stages),
               fmt::arg("names", names_of(plain)), fmt::arg("value", lines.value));
}

}  // namespace jitune::internal
