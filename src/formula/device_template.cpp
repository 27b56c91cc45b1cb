// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "formula/template_parts.hpp"

namespace jitune::internal {

namespace {

/// Of a thread with much data, each of 16 bytes of the widest array.
std::size_t loads_in_flight(const FormulaParts& parts) {
    const std::size_t pack = std::max<std::size_t>(16 / parts.widest(), 1);
    return std::bit_floor(std::clamp<std::size_t>(256 / (pack * parts.most_bytes()), 1, 8));
}

/// Constraints, search space and derived values of a formula over all elements.
std::string flat_space(const FormulaParts& parts) {
    const std::size_t bytes = parts.most_bytes(), widest = parts.widest();
    const BlockWork work = parts.block_work();
    const bool reduces = work.slots > 0;
    return fmt::format(
        R"toml(constraints = [
    "block <= max_threads_per_block",
    "threads_per_sm <= max_threads_per_sm AND threads_per_sm % block = 0",
    "load = 'standard' OR (compute_capability >= 80 AND vector * {widest} >= 16)",
    {finish_constraints}
]
prune = [
    "vector * {widest} <= 32 AND vector * {widest} >= 4",
    "unroll * vector * {bytes} <= 512 OR (unroll = 1 AND vector * {widest} <= 16)",
    "bytes <= 4194304 OR vector * {widest} >= 16",
    "threads_per_sm = 0 OR unroll * vector * {bytes} >= 64",
    "block * blocks_per_sm <= iif(threads_per_sm = 0, max_threads_per_sm, threads_per_sm)",
    "blocks_per_sm <= 1 OR sm_count * (blocks_per_sm / 2) < ceil_div(n, tile)",
    "load = 'standard' OR bytes >= 16777216",
    "load <> 'evict_first' OR bytes > l2_bytes / 2",
    {finish_prune}
]
reproducibility = "'fixed'"

[parameters]
block = {{ values = [128, 256, 512, 1024], default = 256 }}
vector = {{ values = [1, 2, 4, 8, 16], default = {vector} }}
unroll = {{ values = [1, 2, 4, 8, 16], default = {unroll} }}
blocks_per_sm = {{ values = [0, 1, 2, 4, 8, 16], default = 8 }}
threads_per_sm = {{ values = [0, 512, 1024, 1536], default = 0 }}
load = {{ values = ["standard", "streaming", "evict_first"], default = "standard", type = "jitune::Load" }}
{finish}
[derived]
bytes = "n * {total}"
tile = "block * vector * unroll"
blocks = "{blocks}"
{arguments}partials = {{ access = "scratch", type = "uint64", count = "{partial_words} * blocks" }}
counters = {{ access = "zeroed", type = "uint64", count = "{slot_words} * blocks" }}
)toml",
        fmt::arg("widest", widest), fmt::arg("bytes", bytes), fmt::arg("total", parts.bytes()),
        fmt::arg("finish_constraints",
                 reduces ? R"toml("(finish = 'direct') = (blocks_per_sm = 0)",)toml" : ""),
        fmt::arg("finish_prune", reduces ? R"("finish = 'direct' OR n > tile",
    "finish <> 'direct' OR bytes <= 262144",)"
                                         : ""),
        fmt::arg("vector", std::max<std::size_t>(16 / widest, 1)),
        fmt::arg("unroll", bytes <= 8    ? 4
                           : bytes <= 16 ? 2
                                         : 1),
        fmt::arg("finish", reduces
                               ? R"(finish = { values = ["direct", "slots"], default = "slots", )"
                                 "type = \"jitune::Finish\" }\n"
                               : ""),
        fmt::arg("blocks", reduces ? "max(1, min(sm_count * blocks_per_sm, ceil_div(n, tile)))"
                                   : "max(1, iif(blocks_per_sm = 0, ceil_div(n, tile), "
                                     "min(sm_count * blocks_per_sm, ceil_div(n, tile))))"),
        fmt::arg("arguments", arguments_of(parts)),
        fmt::arg("partial_words", std::max<std::size_t>((work.partial + 7) / 8, 1)),
        fmt::arg("slot_words", std::max<std::size_t>(work.slots / 8, 1)));
}

/// The defaults by size; docs/reference/performance.md has what they lose.
std::string flat_defaults(const FormulaParts& parts) {
    const std::size_t pack = std::max<std::size_t>(16 / parts.widest(), 1);
    const std::size_t least = std::max<std::size_t>(4 / parts.widest(), 1);
    if (parts.block_work().slots == 0) {
        return fmt::format(R"toml(
[[default]]  # a block for each few elements
when = "n <= 2048 * sm_count"
vector = {}
unroll = 1
blocks_per_sm = 0

[[default]]
block = 512
vector = {}
unroll = {}
blocks_per_sm = 0
)toml",
                           least, pack, parts.widest() <= 2 ? 1 : 2);
    }
    return fmt::format(
        R"toml(
[[default]]  # one tile of one block
when = "bytes <= 65536 AND n <= 16384"
block = "iif(bytes <= 8192, 128, 512)"
vector = {pack}
unroll = "2 * ceil_div(n, iif(bytes <= 8192, 128, 512) * {pack}) - 1"
blocks_per_sm = 0
finish = "direct"

[[default]]  # one tile for each block, and the more of them the more elements
when = "n <= 2048 * sm_count AND bytes <= 4194304"
block = "iif(n <= 128 * sm_count, 128, 256)"
vector = {least}
unroll = "n / ({share} * sm_count * {least})"
blocks_per_sm = 1

[[default]]
when = "bytes <= {two_packs_bytes}"
vector = {two_packs}
unroll = 2
blocks_per_sm = "min(2, max(1, (2 * ceil_div(n, {two_packs_tile}) - 1) / sm_count))"

[[default]]
vector = {pack}
unroll = {unroll}
blocks_per_sm = "min(max_threads_per_sm / 256, max(1, (2 * ceil_div(n, {tile}) - 1) / sm_count))"
load = "iif(compute_capability >= 80 AND bytes > max(16777215, l2_bytes / 2), 'evict_first', 'standard')"
)toml",
        fmt::arg("pack", pack), fmt::arg("least", least),
        fmt::arg("share", parts.widest() <= 2 ? 128 : 64),
        fmt::arg("two_packs_bytes", parts.widest() <= 2 ? "32 * l2_bytes" : "l2_bytes / 4"),
        fmt::arg("two_packs", std::min<std::size_t>(2 * pack, 16)),
        fmt::arg("two_packs_tile", 512 * std::min<std::size_t>(2 * pack, 16)),
        fmt::arg("unroll", loads_in_flight(parts)),
        fmt::arg("tile", 256 * pack * loads_in_flight(parts)));
}

/// A launch for each stage.
std::string stage_launches(const FormulaParts& parts) {
    const bool reduces = parts.block_work().slots > 0;
    std::string text;
    for (std::size_t i = 0; i < parts.kernels.stages().size(); ++i) {
        text += fmt::format(R"toml(
[[launch]]
entry = "jitune::stage_{}"
template = ["block", "vector", "unroll", "threads_per_sm", "load"{}]
arguments = [{}"n", "partials", "counters"]
block = "block"
grid = "blocks"
programmatic = "compute_capability >= 90"
)toml",
                            i, reduces ? ", \"finish\"" : "",
                            quoted(parts.kernels.stages()[i].members));
    }
    return text;
}

std::string stage_code(const FormulaParts& parts) {
    const bool reduces = parts.block_work().slots > 0;
    std::string code;
    for (std::size_t i = 0; i < parts.kernels.stages().size(); ++i) {
        const StageWork& stage = parts.kernels.stages()[i];
        code += device_stage(stage, fmt::format("Stage{}", i), false);
        code += fmt::format(
            R"(
template <int block, int vector, int unroll, int threads_per_sm, Load load{parameter}>
__global__ void __launch_bounds__(block, threads_per_sm / block)
    stage_{i}({declared}Index n, void* partials, void* counters) {{
    run_stage<Stage{i}, block, vector, unroll, load, {finish}>(Stage{i}{{{names}}}, n, {{partials, counters}});
}}

)",
            fmt::arg("i", i), fmt::arg("parameter", reduces ? ", Finish finish" : ""),
            fmt::arg("finish", reduces ? "finish" : "Finish::direct"),
            fmt::arg("declared", declared(stage.members)),
            fmt::arg("names", names_of(stage.members)));
    }
    std::string runs;
    for (std::size_t i = 0; i < parts.references.stages().size(); ++i) {
        const StageWork& stage = parts.references.stages()[i];
        code += device_stage(stage, fmt::format("Plain{}", i), true) + "\n";
        runs += fmt::format("    run_plainly(Plain{}{{{}}}, n);\n", i, names_of(stage.members));
    }
    return code + fmt::format(R"(template <class>  // candidates do not compile it
__global__ void __launch_bounds__(1024) plainly({}Index n) {{
{}}}
)",
                              declared(all_members(parts.references.stages())), runs);
}

}  // namespace

std::string device_template(const FormulaParts& parts) {
    return head_of(parts) + flat_space(parts) + flat_defaults(parts) + stage_launches(parts) +
           fmt::format(R"toml(
[reference]
entry = "jitune::plainly"
template = ["element"]
arguments = [{}"n"]
block = "1024"
grid = "1"
*/
#include "jitune_formula.h"
{}
namespace jitune {{

{}
}}  // namespace jitune
)toml",
                       quoted(all_members(parts.references.stages())), sources_of(parts),
                       stage_code(parts));
}

}  // namespace jitune::internal
