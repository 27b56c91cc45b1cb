// SPDX-License-Identifier: Apache-2.0
#include "formula/stage_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formula/expression_writer.hpp"

namespace jitune::internal {

namespace {

using Reach = StageMember::Reach;

/// Indents lines.
std::string lines(const std::vector<std::string>& all, std::string_view indent) {
    std::string text;
    for (const std::string& line : all) {
        text += fmt::format("{}{}\n", indent, line);
    }
    return text;
}

std::string declarations(const std::vector<StageMember>& members) {
    std::string text;
    for (const StageMember& one : members) {
        text += fmt::format("    {};\n", text_of(one));
    }
    return text;
}

/// The members for the line `number`, whose first element is `start`.
std::string moved(const std::vector<StageMember>& members) {
    std::string text;
    for (const StageMember& one : members) {
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", one.name,
                            one.reach == Reach::matrix ? " + start"
                            : one.reach == Reach::line ? " + number"
                                                       : "");
    }
    return text;
}

/// Of a state of several numbers that lanes combine each for itself (jitune_members.h): the bytes
/// of a word; else 0.
std::size_t word_bytes(const StageWork& work) {
    constexpr std::size_t kFew = 4;  // whole states are as fast
    const bool is_alike = work.reductions.size() > kFew &&
                          std::all_of(work.reductions.begin(), work.reductions.end(),
                                      [](const StageReduction& one) { return one.is_scalar; });
    std::size_t bytes = 4;
    for (const StageReduction& one : work.reductions) {
        bytes = std::max(bytes, one.bytes);
    }
    return is_alike ? bytes : 0;
}

/// How the lanes of a warp combine a member each; `word` is of word_bytes().
std::string members(const StageWork& work, std::size_t word) {
    if (word == 0) {
        return "    static constexpr int kMembers = 0;\n";
    }
    std::string text = fmt::format(
        "    static constexpr int kMembers = {};\n    using Word = unsigned{};\n"
        "    static __device__ __forceinline__ Word combine_member(int member, Word a, Word b) {{\n"
        "        (void)member;\n",
        work.reductions.size(), word == 8 ? " long long" : "");
    std::map<std::string, std::vector<std::size_t>> by_type;
    for (std::size_t i = 0; i < work.reductions.size(); ++i) {
        by_type[work.reductions[i].type].push_back(i);
    }
    for (std::size_t left = by_type.size(); const auto& [type, places] : by_type) {
        std::uint32_t mask = 0;
        for (const std::size_t place : places) {
            mask |= std::uint32_t{1} << place;
        }
        text += fmt::format(
            "        {}return combine_words<Op{}>(a, b);\n",
            --left == 0 ? std::string() : fmt::format("if (({:#x}u >> member & 1) != 0) ", mask),
            places.front());
    }
    return text + "    }\n";
}

/// The state of a stage and its operations; `word` is of word_bytes(), or 0.
std::string operations(const StageWork& work, std::size_t word) {
    std::string text;
    for (std::size_t i = 0; i < work.reductions.size(); ++i) {
        text += fmt::format("    using Op{} = {};\n", i, work.reductions[i].type);
    }
    const bool has_state = !work.reductions.empty();
    text += "    struct State {\n";
    std::vector<std::string> identities, combinations;
    for (std::size_t i = 0; i < work.reductions.size(); ++i) {
        // Small states of one's own become whole words, of which all states are made.
        text += fmt::format("        {1}typename Op{0}::State s{0};\n", i,
                            work.reductions[i].is_own
                                ? fmt::format("alignas(4) alignas(typename Op{}::State) ", i)
                            : word == 8 ? "alignas(8) "
                                        : "");
        identities.push_back(fmt::format("Op{}::identity()", i));
        combinations.push_back(fmt::format("Op{0}::combine(a.s{0}, b.s{0})", i));
    }
    if (!has_state) {
        text += "        unsigned none;\n";
        identities.emplace_back("0");
        combinations.emplace_back("0");
    }
    text += fmt::format(
        "    }};\n    static constexpr Combination kCombination = Combination::other;\n"
        "    static constexpr bool kHasState = {};\n"
        "    static JITUNE_FUNCTION State identity() {{ return {{{}}}; }}\n"
        "    static JITUNE_FUNCTION State combine(const State& {}, const State& {}) {{\n"
        "        return {{{}}};\n    }}\n",
        has_state, fmt::join(identities, ", "), has_state ? "a" : "", has_state ? "b" : "",
        fmt::join(combinations, ",\n                "));
    return text;
}

/// Says which word of a small state is the upper one of a float, for MarkedSlot in jitune_finish.h.
std::string nan_word(const StageWork& work) {
    const auto real = std::find_if(work.reductions.begin(), work.reductions.end(),
                                   [](const StageReduction& one) { return one.float_bytes > 0; });
    const bool has_slot = work.state_bytes > 8 && work.state_bytes <= 16;
    return has_slot && real != work.reductions.end()
               ? fmt::format("    static constexpr int kNanWord = {};\n",
                             (real->offset + real->float_bytes) / 4 - 1)
               : "";
}

std::vector<StageMember> arrays_of(const std::vector<StageMember>& members,
                                   const std::vector<StageWork>& stages) {
    std::vector<StageMember> arrays;
    for (const StageMember& one : members) {
        if (std::any_of(stages.begin(), stages.end(),
                        [&](const StageWork& stage) { return stage.is_array(one); })) {
            arrays.push_back(one);
        }
    }
    return arrays;
}

/// The scalars of all stages, each once; of results only those that a stage behind reads.
std::vector<StageScalar> scalars_of(const std::vector<StageWork>& stages) {
    std::vector<StageScalar> all;
    for (const StageWork& stage : stages) {
        for (const StageScalar& one : stage.scalars) {
            if (std::none_of(all.begin(), all.end(),
                             [&](const StageScalar& other) { return other.name == one.name; })) {
                all.push_back(one);
            }
        }
    }
    return all;
}

/// Whether a scalar is the first element of an array, which no line without elements has.
bool is_element(const StageScalar& scalar, const std::vector<StageMember>& members) {
    return std::any_of(members.begin(), members.end(), [&](const StageMember& one) {
        return one.name == scalar.name && (one.reach == Reach::matrix || one.reach == Reach::place);
    });
}

/// The types that hold elements and scalars, and whether packs of an array's elements are aligned
/// from `head` on.
std::string device_types(const std::vector<StageMember>& arrays,
                         const std::vector<StageScalar>& scalars,
                         const std::vector<StageMember>& members) {
    std::string elements, aligned, fields, values;
    for (const StageMember& one : arrays) {
        elements += fmt::format("        Run<{}, count> {};\n", kernel_type(one.type), one.name);
        aligned += fmt::format("{}is_aligned<{}, count>({} + head)", aligned.empty() ? "" : " && ",
                               kernel_type(one.type), one.name);
    }
    for (const StageScalar& one : scalars) {
        fields += fmt::format("        {} {};\n", kernel_type(one.type), one.name);
        const std::string_view type = kernel_type(one.type);
        values +=
            fmt::format("{}{}", values.empty() ? "" : ", ",
                        one.is_result ? fmt::format("zero<{}>()", type)
                        : is_element(one, members)
                            ? fmt::format("n == 0 ? zero<{}>() : read_scalar({})", type, one.name)
                            : fmt::format("read_scalar({})", one.name));
    }
    return fmt::format(R"(    template <int count>
    struct Elements {{
{}    }};
    struct Scalars {{
{}    }};
    __device__ __forceinline__ Scalars scalars(Index n) const {{
        (void)n;
        return {{{}}};
    }}
    template <int count>
    __device__ __forceinline__ bool aligned(Index head) const {{
        (void)head;
        return {};
    }}
)",
                       elements, fields, values, aligned.empty() ? "true" : aligned);
}

/// A function that moves runs: `call` is access.read or access.write.
std::string transfer(std::string_view name, std::string_view call, std::string_view constness,
                     const std::vector<StageMember>& arrays) {
    std::string moves;
    for (const StageMember& one : arrays) {
        moves += fmt::format("        access.{0}({1} + {2}, run.{1});\n", call, one.name,
                             one.reach == Reach::place ? "index" : "at");
    }
    return fmt::format(R"(    template <class Access, int count>
    __device__ __forceinline__ void {}(const Access& access, Index at, Index index,
                                       {}Elements<count>& run) const {{
        (void)access, (void)at, (void)index, (void)run;
{}    }}
)",
                       name, constness, moves);
}

std::vector<StageMember> chosen(const std::vector<StageMember>& members,
                                const std::set<std::string>& names) {
    std::vector<StageMember> result;
    for (const StageMember& one : members) {
        if (names.contains(one.name)) {
            result.push_back(one);
        }
    }
    return result;
}

std::string load_and_store(const StageWork& work) {
    return fmt::format("    static constexpr bool kWrites = {};\n", !work.writes.empty()) +
           transfer("load", "read", "", chosen(work.members, work.reads)) +
           transfer("store", "write", "const ", chosen(work.members, work.writes));
}

std::string add(const StageWork& work) {
    return fmt::format(R"(    template <int count>
    __device__ __forceinline__ void add(State& state, Elements<count>& run, int k, Index index, Index n,
                                        const Scalars& scalars) const {{
        (void)state, (void)run, (void)k, (void)index, (void)n, (void)scalars;
{}    }}
)",
                       lines(work.body, "        "));
}

/// Writes the results when all are known: an output may lie where an input was read.
std::string writing(const StageWork& work, std::string_view indent) {
    std::string text;
    for (const StageResult& one : work.results) {
        text += fmt::format("{}*{} = {};\n", indent, one.memory, one.local);
    }
    return text;
}

/// The struct of one stage that extends what all share.
std::string line_stage(const StageWork& work, const std::string& base, std::size_t number) {
    std::string recalled, kept;
    for (const StageScalar& one : work.scalars) {
        if (one.is_result) {
            recalled += fmt::format("        scalars.{0} = read_scalar({0});\n", one.name);
        }
    }
    for (const StageResult& one : work.results) {
        if (one.is_read_later) {
            kept += fmt::format("        scalars.{} = {};\n", one.memory, one.local);
        }
    }
    return fmt::format(
        R"(struct {base}{number} : {base} {{
{operations}{load_and_store}{add}    __device__ __forceinline__ void recall(Scalars& scalars) const {{
        (void)scalars;
{recalled}    }}
    __device__ __forceinline__ void finish(const State& state, Index n, Scalars& scalars,
                                           bool writes) const {{
        (void)state, (void)n, (void)scalars;
{finish}{kept}        if (writes) {{
{writing}        }}
    }}
}};
)",
        fmt::arg("base", base), fmt::arg("number", number),
        fmt::arg("operations", operations(work, 0)),
        fmt::arg("load_and_store", load_and_store(work)), fmt::arg("add", add(work)),
        fmt::arg("recalled", recalled), fmt::arg("finish", lines(work.finish, "        ")),
        fmt::arg("kept", kept), fmt::arg("writing", writing(work, "            ")));
}

/// Pointers and scalars of the loop, which stores to arrays could change as members.
std::string local_copies(const StageWork& work) {
    std::string text;
    for (const StageMember& one : work.members) {
        if (work.is_array(one) || one.kind == StageMember::Kind::value) {
            text +=
                fmt::format("        const auto {0} = this->{0};\n        (void){0};\n", one.name);
        }
    }
    return text;
}

/// The scalars in memory, of the line `number`.
std::string firsts(const StageWork& work, std::string_view indent, std::string_view number) {
    std::string text;
    for (const StageScalar& one : work.scalars) {
        const bool is_of_call =
            std::any_of(work.members.begin(), work.members.end(), [&](const StageMember& member) {
                return member.name == one.name &&
                       (member.reach == Reach::call || member.reach == Reach::place);
            });
        const std::string_view type = kernel_type(one.type);
        text += fmt::format(
            "{}const {} first_{} = {}{}[{}];\n", indent, type, one.name,
            is_element(one, work.members) ? fmt::format("n == 0 ? zero<{}>() : ", type) : "",
            one.name, is_of_call ? "0" : number);
    }
    return text;
}

/// A struct for the host with the function that folds elements.
std::string host_struct(const StageWork& work, const std::string& name, const std::string& fold) {
    return fmt::format(
        R"(struct {name} {{
{declarations}{operations}    static constexpr Index kBytes = {bytes};
    {name} line(Index number, Index start) const {{
        (void)number, (void)start;
        return {{{moved}}};
    }}
{fold}    void finish(const State& state, Index n) const {{
        (void)state, (void)n;
{firsts}{finish}{writing}    }}
}};
)",
        fmt::arg("name", name), fmt::arg("declarations", declarations(work.members)),
        fmt::arg("operations", operations(work, 0)),
        fmt::arg("bytes", std::max<std::size_t>(work.array_bytes(), 1)),
        fmt::arg("moved", moved(work.members)), fmt::arg("fold", fold),
        fmt::arg("firsts", firsts(work, "        ", "0")),
        fmt::arg("finish", lines(work.finish, "        ")),
        fmt::arg("writing", writing(work, "        ")));
}

}  // namespace

BlockWork block_work(const StageWork& work) {
    if (work.reductions.empty()) {
        return {};
    }
    if (const std::size_t word = word_bytes(work)) {
        return {work.reductions.size() * word, work.reductions.size() * 2 * word};
    }
    if (work.state_bytes <= 8) {
        return {8, 16};
    }
    const std::size_t pieces = (work.state_bytes + 7) / 8;
    return {(pieces + 1) / 2 * 16, pieces * 16};
}

std::vector<StageMember> all_members(const std::vector<StageWork>& stages) {
    std::vector<StageMember> all;
    for (const StageWork& stage : stages) {
        for (const StageMember& one : stage.members) {
            const auto known = std::find_if(all.begin(), all.end(), [&](const StageMember& other) {
                return other.name == one.name;
            });
            if (known == all.end()) {
                all.push_back(one);
            } else if (one.kind == StageMember::Kind::written) {
                known->kind = one.kind;
            }
        }
    }
    return all;
}

std::string device_stage(const StageWork& work, const std::string& name, bool is_plain) {
    const std::vector<StageMember> arrays = arrays_of(work.members, {work});
    const std::size_t word = is_plain ? 0 : word_bytes(work);
    std::vector<StageScalar> scalars = work.scalars;
    for (StageScalar& one : scalars) {
        one.is_result = false;  // a launch before has written it
    }
    return fmt::format(
        R"(struct {name} {{
{declarations}{operations}{members}{nan_word}    static constexpr int kFirstBytes = {first_bytes};
    __device__ __forceinline__ Index address() const {{ return {address}; }}
{types}{load_and_store}{add}    __device__ __forceinline__ void finish(const State& state, Index n, const Scalars& scalars) const {{
        (void)state, (void)n, (void)scalars;
{finish}{writing}    }}
}};
)",
        fmt::arg("name", name), fmt::arg("declarations", declarations(work.members)),
        fmt::arg("operations", operations(work, word)), fmt::arg("members", members(work, word)),
        fmt::arg("nan_word", is_plain ? "" : nan_word(work)),
        fmt::arg("first_bytes", arrays.empty() ? 1 : bytes_of(arrays.front().type)),
        fmt::arg("address", arrays.empty()
                                ? std::string("0")
                                : fmt::format("reinterpret_cast<Index>({})", arrays.front().name)),
        fmt::arg("types", device_types(arrays, scalars, work.members)),
        fmt::arg("load_and_store", load_and_store(work)), fmt::arg("add", add(work)),
        fmt::arg("finish", lines(work.finish, "        ")),
        fmt::arg("writing", writing(work, "        ")));
}

std::string device_lines(const std::vector<StageWork>& stages, const std::string& name) {
    const std::vector<StageMember> all = all_members(stages);
    std::set<std::string> brought;
    for (const StageWork& stage : stages) {
        for (const std::string& one : stage.reads) {
            if (one.starts_with("in_")) {
                brought.insert(one);
            }
        }
    }
    std::string text = fmt::format(
        R"(struct {name} {{
{declarations}    __device__ __forceinline__ {name} line(Index number, Index start) const {{
        (void)number, (void)start;
        return {{{moved}}};
    }}
{types}{load_all}}};
)",
        fmt::arg("name", name), fmt::arg("declarations", declarations(all)),
        fmt::arg("moved", moved(all)),
        fmt::arg("types", device_types(arrays_of(all, stages), scalars_of(stages), all)),
        fmt::arg("load_all", transfer("load_all", "read", "", chosen(all, brought))));
    for (std::size_t i = 0; i < stages.size(); ++i) {
        text += line_stage(stages[i], name, i);
    }
    return text;
}

std::string host_stage(const StageWork& work, const std::string& name) {
    std::string states, reductions, values, declared;
    bool all_scalar = true;
    for (std::size_t i = 0; i < work.reductions.size(); ++i) {
        all_scalar = all_scalar && work.reductions[i].is_scalar;
        states += fmt::format("        typename Op{0}::State s{0} = Op{0}::identity();\n", i);
        values += fmt::format("{}s{}", i == 0 ? "" : ", ", i);
        declared += fmt::format(
            "#pragma omp declare reduction(combine_{0} : {1} : omp_out = "
            "Op{0}::combine(omp_out, omp_in)) "
            "initializer(omp_priv = Op{0}::identity())\n",
            i, work.reductions[i].scalar_type);
        reductions += fmt::format(" reduction(combine_{0} : s{0})", i);
    }
    if (!all_scalar) {
        declared.clear();
        reductions.clear();
    }
    // Loops with larger states have no form in vectors.
    const std::string loop = all_scalar ? fmt::format("#pragma omp simd{}\n", reductions) : "";
    return host_struct(
        work, name,
        fmt::format(
            R"(    __attribute__((noinline)) State fold(Index first, Index end, Index n) const {{
        (void)n;
{pointers}{firsts}{states}{declared}{loop}        for (Index index = first; index < end; ++index) {{
{body}        }}
        return {{{values}}};
    }}
)",
            fmt::arg("pointers", local_copies(work)),
            fmt::arg("firsts", firsts(work, "        ", "0")), fmt::arg("states", states),
            fmt::arg("declared", declared), fmt::arg("loop", loop),
            fmt::arg("body", lines(work.body, "            ")),
            fmt::arg("values", work.reductions.empty() ? "0" : values)));
}

std::string host_columns_stage(const StageWork& work, const std::string& name) {
    std::string states;
    for (std::size_t i = 0; i < work.reductions.size(); ++i) {
        states += fmt::format("                auto& s{0} = states[c].s{0};\n", i);
    }
    return host_struct(
        work, name,
        fmt::format(
            R"(    __attribute__((noinline)) void fold_columns(State* states, Index columns, Index first, Index end, Index n,
                                                Index stride) const {{
        (void)states, (void)n, (void)stride;
{pointers}        for (Index index = first; index < end; ++index) {{
#pragma omp simd
            for (Index c = 0; c < columns; ++c) {{
{firsts}{states}{body}            }}
        }}
    }}
)",
            fmt::arg("pointers", local_copies(work)),
            fmt::arg("firsts", firsts(work, "                ", "c")), fmt::arg("states", states),
            fmt::arg("body", lines(work.body, "                "))));
}

}  // namespace jitune::internal
