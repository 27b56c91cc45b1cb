// SPDX-License-Identifier: Apache-2.0
#include "jitune/map_reduce.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/formula/call_binding.hpp"
#include "families/formula/own_operations.hpp"
#include "families/own/kernel_file.hpp"
#include "families/own/own_kernel.hpp"
#include "formula/syntax.hpp"
#include "formula/template_writer.hpp"
#include "jitune/error.hpp"
#include "types/element_visit.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

/// Templates of formulas include jitune's own headers alone; a folder that cannot exist hides no
/// file of that name.
constexpr const char* kNoFolder = "/dev/null/none";

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// The null pointer of an array without elements becomes the address of zeros.
KernelArgument with_address(KernelArgument given) {
    static constexpr std::uint64_t kZero = 0;
    return given.kind() == KernelArgument::Kind::pointer && given.bits() == 0
               ? KernelArgument::array(given.type(), &kZero)
               : given;
}

using Shape = FormulaShape::Kind;

void refuse_twice(FormulaArguments given, const char* what) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto same = [&](const FormulaArgument& other) {
            return other.name() == given[i].name();
        };
        if (std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), same)) {
            throw Error(ErrorKind::usage,
                        fmt::format("the call of a formula gives the {} \"{}\" twice", what,
                                    given[i].name()));
        }
    }
}

void refuse_bad_arguments(FormulaArguments inputs, FormulaArguments outputs) {
    refuse_twice(inputs, "input");
    refuse_twice(outputs, "output");
    for (const auto& group : {inputs, outputs}) {
        for (const FormulaArgument& one : group) {
            if (one.argument().kind() == KernelArgument::Kind::untyped_pointer) {
                throw Error(
                    ErrorKind::usage,
                    fmt::format("the pointer of \"{}\" needs an element type: it is a void*",
                                one.name()));
            }
        }
    }
    for (const FormulaArgument& one : outputs) {
        if (one.argument().kind() == KernelArgument::Kind::value) {
            throw Error(ErrorKind::usage,
                        fmt::format("the output \"{}\" is a value; give a pointer to its place",
                                    one.name()));
        }
    }
}

void refuse_bad_sizes(const FormulaShape& shape, std::int64_t least) {
    const std::span<const std::int64_t> sizes = shape.sizes();
    const std::int64_t first = sizes.front(), last = sizes.back();
    const bool is_small = std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) {
        return size >= least && size <= kMostElements;
    });
    const bool is_matrix = shape.kind() == Shape::rows || shape.kind() == Shape::columns;
    if (is_small && (!is_matrix || first == 0 || last <= kMostElements / first)) [[likely]] {
        return;
    }
    if (shape.kind() == Shape::flat) {
        throw Error(ErrorKind::usage,
                    fmt::format("n is {}; it must be at least {} and at most 2^40", first, least));
    }
    throw Error(ErrorKind::usage,
                fmt::format("the sizes of the call are {} {} and {} {}; each must be at least {}, "
                            "and all elements at most 2^40",
                            first, is_matrix ? "rows" : "segments", last,
                            is_matrix ? "columns" : "elements", least));
}

/// Of segments in host memory: what lies beyond the arrays would be read.
void refuse_bad_offsets(const KernelArgument& offsets, std::int64_t segments, std::int64_t n) {
    visit_element(offsets.type(), [&]<class T>(T) {
        if constexpr (std::is_integral_v<T>) {
            // A pointer is the bits of its argument.
            const auto* const all = std::bit_cast<const T*>(offsets.bits());
            T last = 0;
            for (std::int64_t i = 0; i <= segments; ++i) {
                if (all[i] < last || std::cmp_greater(all[i], n)) {
                    throw Error(ErrorKind::usage,
                                fmt::format("offset {} of the segments is {}: offsets must not "
                                            "decrease and must lie in [0, {}]",
                                            i, +all[i], n));
                }
                last = all[i];
            }
        }
    });
}

}  // namespace

struct MapReduce::State {
    /// The kernel of calls with the same names and types, in the same order, in the same kind of
    /// memory.
    struct Form {
        Form(Engine& engine, const std::string& formula, FormulaBinding its_binding,
             PlatformKind platform)
            : binding(std::move(its_binding)),
              kernel(engine,
                     kernel_from_text(formula, formula_template(formula, binding, platform),
                                      kNoFolder),
                     {}) {}

        [[nodiscard]] bool is_of(FormulaArguments inputs, const FormulaShape& shape,
                                 FormulaArguments outputs, bool on_host) const {
            if (binding.shape != line_shape(shape.kind()) ||
                binding.offset != shape.offsets().type()) {
                return false;
            }
            const auto same_input = [&](const FormulaArgument& given, const FormulaInput& known) {
                return given.name() == known.name && given.argument().type() == known.type &&
                       input_kind(given, shape.kind()) == known.kind;
            };
            const auto same_output = [](const FormulaArgument& given, const FormulaOutput& known) {
                return given.name() == known.name && given.argument().type() == known.type;
            };
            return on_host == kernel.is_host &&
                   std::equal(inputs.begin(), inputs.end(), binding.inputs.begin(),
                              binding.inputs.end(), same_input) &&
                   std::equal(outputs.begin(), outputs.end(), binding.outputs.begin(),
                              binding.outputs.end(), same_output);
        }

        const FormulaBinding binding;
        const OwnKernel kernel;
        std::unique_ptr<const Form> next;
    };

    State(std::string_view text, const std::vector<CustomOperation>& its_operations,
          Session& session)
        : formula(text), operations(its_operations), engine(SessionAccess::engine(session)) {
        for (const FormulaStatement& one : parse_formula(formula)) {
            results.push_back(one.name);
            if (one.is_array) {
                written.push_back(one.name);
            }
        }
    }
    ~State() { delete forms.load(); }

    const Form& form(FormulaArguments inputs, const FormulaShape& shape, FormulaArguments outputs,
                     bool on_host) const {
        if (const Form* const known = find(inputs, shape, outputs, on_host)) [[likely]] {
            return *known;
        }
        refuse_bad_arguments(inputs, outputs);
        if (outputs.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("the call of a formula gives no output; the formula has {}: "
                                    "give places for those that you want, as in {{{{\"{}\", "
                                    "pointer}}}}",
                                    names_of_results(), results.front()));
        }
        const std::lock_guard lock(mutex);
        if (const Form* const known = find(inputs, shape, outputs, on_host)) {
            return *known;
        }
        auto made = std::make_unique<Form>(engine, formula,
                                           call_binding(inputs, shape, outputs, operations),
                                           on_host ? PlatformKind::host : PlatformKind::cuda);
        made->next.reset(forms.load(std::memory_order_relaxed));
        forms.store(made.get(), std::memory_order_release);
        return *made.release();
    }

    void call(FormulaArguments inputs, const FormulaShape& shape, FormulaArguments outputs,
              CUstream_st* stream, bool on_host) const {
        engine.refuse_fork();
        const OwnKernel& kernel = form(inputs, shape, outputs, on_host).kernel;
        refuse_bad_sizes(shape, 0);
        const std::span<const std::int64_t> sizes = shape.sizes();
        const bool has_elements = std::count(sizes.begin(), sizes.end(), 0) == 0;
        const bool has_lines = shape.kind() != Shape::flat;
        if (has_lines && sizes[shape.kind() == Shape::columns ? 1 : 0] == 0) {
            return;
        }
        const auto given = [&](std::size_t i) {
            const bool is_input = i < inputs.size();
            i -= is_input ? 0 : inputs.size();
            if (!is_input && i == outputs.size()) {
                return shape.offsets();
            }
            const FormulaArgument& one = is_input ? inputs[i] : outputs[i];
            // Empty vectors have no address.
            return has_elements || !(is_input || is_written(one.name()))
                       ? one.argument()
                       : with_address(one.argument());
        };
        const bool has_offsets = shape.kind() == Shape::segments;
        const auto cells =
            kernel.signature->cells(inputs.size() + outputs.size() + (has_offsets ? 1 : 0), given);
        if (has_offsets && on_host) {
            refuse_bad_offsets(shape.offsets(), sizes[0], sizes[1]);
        }
        StreamSite& site = kernel.site(stream);
        const OwnKernel::Call call(kernel, sizes, cells);
        if (has_elements) [[likely]] {
            return internal::launch(engine, site, call, stream);
        }
        // Without elements, a tuning would measure nothing.
        std::array<std::int64_t, 2> some{1, 1};
        std::transform(sizes.begin(), sizes.end(), some.begin(),
                       [](std::int64_t size) { return std::max<std::int64_t>(size, 1); });
        const Resolved& answer =
            resolve(engine, site, OwnKernel::Call(kernel, std::span(some).first(sizes.size())));
        internal::launch(site, call, answer, stream);
    }

    const std::string formula;
    const OwnOperations operations;
    Engine& engine;

private:
    [[nodiscard]] bool is_written(std::string_view array) const {
        return std::find(written.begin(), written.end(), array) != written.end();
    }

    [[nodiscard]] std::string names_of_results() const {
        std::string names;
        for (const std::string& one : results) {
            names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", one);
        }
        return names;
    }

    [[nodiscard]] const Form* find(FormulaArguments inputs, const FormulaShape& shape,
                                   FormulaArguments outputs, bool on_host) const {
        const Form* one = forms.load(std::memory_order_acquire);
        while (one != nullptr && !one->is_of(inputs, shape, outputs, on_host)) {
            one = one->next.get();
        }
        return one;
    }

    std::vector<std::string> results;  ///< the names of all statements
    std::vector<std::string> written;  ///< those of arrays
    mutable std::mutex mutex;          ///< of additions to the list
    mutable std::atomic<const Form*> forms{nullptr};
};

MapReduce::MapReduce(std::string_view formula, Session& session)
    : MapReduce(formula, std::vector<CustomOperation>(), session) {}

MapReduce::MapReduce(std::string_view formula, const std::vector<CustomOperation>& operations,
                     Session& session) try
    : state_(std::make_unique<const State>(formula, operations, session)) {
} catch (...) {
    throw_as_error();
}

MapReduce::~MapReduce() = default;
MapReduce::MapReduce(MapReduce&&) noexcept = default;
MapReduce& MapReduce::operator=(MapReduce&&) noexcept = default;

void MapReduce::operator()(FormulaArguments inputs, const FormulaShape& shape,
                           FormulaArguments outputs, CUstream_st* stream) const try {
    state_->call(inputs, shape, outputs, stream, false);
} catch (...) {
    throw_as_error();
}

PreparedKernel MapReduce::prepare(FormulaArguments inputs, const FormulaShape& shape,
                                  FormulaArguments outputs, std::string_view device_id) const try {
    Engine& engine = state_->engine;
    engine.refuse_fork();
    refuse_bad_sizes(shape, 1);
    if (device_id.empty()) {
        return PreparedKernel(std::make_unique<PreparedKernel::State>(
            state_->form(inputs, shape, outputs, false).kernel, shape.sizes(),
            "MapReduce::prepare"));
    }
    Device& device = engine.device(device_id == "auto" ? "host" : device_id);
    const bool on_host = runs_on_cpu(device.info().platform);
    return PreparedKernel(std::make_unique<PreparedKernel::State>(
        state_->form(inputs, shape, outputs, on_host).kernel, shape.sizes(), device));
} catch (...) {
    throw_as_error();
}

void MapReduce::on_host(FormulaArguments inputs, const FormulaShape& shape,
                        FormulaArguments outputs) const try {
    state_->call(inputs, shape, outputs, nullptr, true);
} catch (...) {
    throw_as_error();
}

namespace {

/// A formula of tuned_map_reduce() with the names of its inputs.
struct KnownFormula {
    explicit KnownFormula(const std::string& text)
        : formula(text), statements(parse_formula(text)), names(formula_inputs(statements)) {
        for (auto one = statements.begin(); one + 1 < statements.end(); ++one) {
            const std::vector<std::string> read = formula_inputs({one + 1, statements.end()});
            if (!one->is_array && std::find(read.begin(), read.end(), one->name) == read.end()) {
                throw Error(ErrorKind::usage,
                            fmt::format("tuned_map_reduce gives one result, \"{}\", and nothing "
                                        "uses \"{}\": use MapReduce::on_host for several: {}",
                                        statements.back().name, one->name, text));
            }
        }
    }

    MapReduce formula;
    std::vector<FormulaStatement> statements;
    std::vector<std::string> names;
};

const KnownFormula& known_formula(std::string_view text) {
    static std::mutex mutex;
    // Never destroyed: threads may still be calling while the process exits.
    static auto& all = *new std::map<std::string, std::unique_ptr<KnownFormula>, std::less<>>;
    const std::lock_guard lock(mutex);
    auto found = all.find(text);
    if (found == all.end()) {
        found = all.emplace(text, std::make_unique<KnownFormula>(std::string(text))).first;
    }
    return *found->second;
}

}  // namespace

void detail::map_reduce_host(std::string_view formula, std::span<const KernelArgument> arrays,
                             std::span<const std::int64_t> lengths, ElementType result_type,
                             void* result) try {
    const KnownFormula& known = known_formula(formula);
    if (known.names.size() != arrays.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("the formula reads {} arrays, but the call gives {}: {}",
                                known.names.size(), arrays.size(), formula));
    }
    if (known.statements.back().is_array) {
        throw Error(ErrorKind::usage,
                    fmt::format("the formula ends with an array, not with one result: use "
                                "MapReduce::on_host, or end it with a reduction: {}",
                                formula));
    }
    for (std::size_t i = 1; i < lengths.size(); ++i) {
        if (lengths[i] != lengths.front()) {
            throw Error(
                ErrorKind::usage,
                fmt::format("the arrays \"{}\" and \"{}\" have {} and {} elements: give "
                            "arrays of equal length, or call MapReduce::on_host with "
                            "each_row(rows, columns) and per_column(pointer)",
                            known.names.front(), known.names[i], lengths.front(), lengths[i]));
        }
    }
    std::vector<FormulaArgument> inputs;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        inputs.emplace_back(known.names[i], arrays[i]);
    }
    const FormulaArgument output(known.statements.back().name,
                                 KernelArgument::array(result_type, result));
    known.formula.on_host(inputs, lengths.front(), std::span(&output, 1));
} catch (...) {
    throw_as_error();
}

JITUNE_END_NAMESPACE
