// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "families/reduce/reduce_types.hpp"
#include "families/reduce/reference_operations.hpp"
#include "jitune/error.hpp"
#include "support/thread_pool.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

template <class V>
bool agree(V want, V got, const Tolerance& tolerance) {
    if (want == got || (want != want && got != got)) {
        return true;
    }
    const auto a = static_cast<double>(want);
    const auto b = static_cast<double>(got);
    const double allowed =
        tolerance.absolute + tolerance.relative * std::max(std::abs(a), std::abs(b));
    return std::isfinite(allowed) && allowed > 0 && std::abs(a - b) <= allowed;
}

}  // namespace

std::string compare(const Expected& expected, std::span<const std::byte> got) {
    const std::span<const std::byte> want = expected.values;
    if (got.size() == want.size() && std::memcmp(got.data(), want.data(), got.size()) == 0) {
        return {};  // the common case, for many results of many candidates
    }
    return visit_element(expected.result, [&]<class T>(T) -> std::string {
        for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
            const auto a = readable_element<T>(want, i);
            const auto b = readable_element<T>(got, i);
            if (!agree(a, b, expected.tolerance)) {
                const std::string_view unit = unit_of(expected.kind);
                const std::string where = unit.empty() ? "" : fmt::format("{} {}: ", unit, i);
                return fmt::format("{}got {}, expected {}", where, b, a);
            }
        }
        return {};
    });
}

double largest_magnitude(ElementType type, std::span<const std::byte> values) {
    return visit_element(type, [&]<class T>(T) {
        double largest = 0;
        for (std::size_t i = 0; i < values.size() / sizeof(T); ++i) {
            const double magnitude = std::abs(static_cast<double>(readable_element<T>(values, i)));
            if (std::isfinite(magnitude)) {
                largest = std::max(largest, magnitude);
            }
        }
        return largest;
    });
}

namespace {

// Columns whose states fit into a near cache together.
constexpr std::size_t kColumnsAtATime = 512;

template <class T>
using Widest =
    std::conditional_t<!std::is_integral_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
std::vector<Widest<T>> widened(std::span<const std::byte> pattern) {
    const std::size_t count = pattern.size() / sizeof(T);
    std::vector<Widest<T>> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, pattern.data() + i * sizeof(T), sizeof value);
        if constexpr (std::is_arithmetic_v<T>) {
            values.emplace_back(value);
        } else {
            values.emplace_back(static_cast<float>(value));
        }
    }
    return values;
}

/// The state of elements whose indexes are larger by `offset`.
template <class State>
State moved(State state, std::uint64_t offset) {
    if constexpr (requires { state.index; }) {
        state.index += offset;
    }
    return state;
}

/// A pattern, with the states of its pieces: rows that are long repeat the same pieces many times.
template <class Op, class V>
class PatternStates {
public:
    explicit PatternStates(std::span<const V> pattern) : pattern_(pattern) {
        for (std::size_t at = 0; at + kPiece <= pattern.size(); at += kPiece) {
            pieces_.push_back(state_of(at, kPiece, 0));
        }
    }

    [[nodiscard]] std::size_t period() const { return pattern_.size(); }

    /// Elements [first, first + count) of the repeated pattern, count > 0 and at most one period,
    /// whose indexes in their run start with `index`.
    auto window(std::size_t first, std::size_t count, std::uint64_t index) const {
        const std::size_t at = first % period();
        const std::size_t before_end = std::min(count, period() - at);
        auto state = part(at, before_end, index);
        return before_end == count
                   ? state
                   : Op::combine(state, part(0, count - before_end, index + before_end));
    }

private:
    static constexpr std::size_t kPiece = 256;

    /// Elements of the pattern, one by one.
    auto state_of(std::size_t at, std::size_t count, std::uint64_t index) const {
        auto state = Op::of(pattern_[at], index);
        for (std::size_t i = 1; i < count; ++i) {
            state = Op::combine(state, Op::of(pattern_[at + i], index + i));
        }
        return state;
    }
    /// Elements of the pattern, by whole pieces where there are some.
    auto part(std::size_t at, std::size_t count, std::uint64_t index) const {
        const std::size_t end = at + count;
        const std::size_t first_piece = (at + kPiece - 1) / kPiece;
        const std::size_t last_piece = end / kPiece;
        if (first_piece >= last_piece) {
            return state_of(at, count, index);
        }
        std::optional<decltype(state_of(at, count, index))> state;
        const auto add = [&](const auto& next) {
            state = state ? Op::combine(*state, next) : next;
        };
        if (const std::size_t begin = first_piece * kPiece; at < begin) {
            add(state_of(at, begin - at, index));
        }
        for (std::size_t piece = first_piece; piece < last_piece; ++piece) {
            add(moved(pieces_[piece], index + piece * kPiece - at));
        }
        if (const std::size_t rest = last_piece * kPiece; rest < end) {
            add(state_of(rest, end - rest, index + rest - at));
        }
        return *state;
    }

    std::span<const V> pattern_;
    std::vector<decltype(Op::of(V{}, 0))> pieces_;
};

/// The combination of `times` > 0 equal states.
template <class Op, class State>
State repeated(State state, std::size_t times) {
    std::optional<State> result;
    for (; times > 0; times /= 2) {
        if (times % 2 == 1) {
            result = result ? Op::combine(*result, state) : state;
        }
        state = Op::combine(state, state);
    }
    return *result;
}

template <class Op, class V>
auto reduce_run(const PatternStates<Op, V>& pattern, const ElementRun& run) {
    const std::size_t period = pattern.period();
    if (run.count <= period) {
        return pattern.window(run.first, run.count, 0);
    }
    const auto whole = repeated<Op>(pattern.window(run.first, period, 0), run.count / period);
    const std::size_t rest = run.count % period;
    return rest == 0 ? whole
                     : Op::combine(whole, pattern.window(run.first, rest, run.count - rest));
}

/// Some neighbouring columns, row by row as they lie in memory.
template <class Op, class V, class Use>
void reduce_columns(std::span<const V> pattern, const ReduceLayout& layout, std::size_t first,
                    std::size_t columns, Use use) {
    const ElementRun run = layout.run(first);
    std::vector<decltype(Op::of(V{}, 0))> states;
    std::size_t row_start = run.first % pattern.size();
    for (std::size_t row = 0; row < run.count; ++row) {
        std::size_t at = row_start;
        for (std::size_t i = 0; i < columns; ++i) {
            const auto one = Op::of(pattern[at], row);
            if (row == 0) {
                states.push_back(one);
            } else {
                states[i] = Op::combine(states[i], one);
            }
            at = at + 1 == pattern.size() ? 0 : at + 1;
        }
        row_start = (row_start + run.stride) % pattern.size();
    }
    for (std::size_t i = 0; i < columns; ++i) {
        use(first + i, states[i]);
    }
}

/// The states of runs that begin anywhere in the repeated pattern: by the beginning, `first` and
/// then `second`, which comes `distance` elements of the pattern and `length` of the run later.
template <class Op, class State>
std::vector<State> joined(const std::vector<State>& first, const std::vector<State>& second,
                          std::size_t distance, std::size_t length) {
    const std::size_t period = first.size();
    std::vector<State> both;
    both.reserve(period);
    std::size_t next = distance % period;
    for (std::size_t at = 0; at < period; ++at) {
        both.push_back(Op::combine(first[at], moved(second[next], length)));
        next = next + 1 == period ? 0 : next + 1;
    }
    return both;
}

/// The state of each run of `count` > 0 elements with this stride, by where in the pattern it
/// begins. Runs of powers of two elements make up all others, so that long ones cost little more
/// than short ones.
template <class Op, class V>
auto strided_runs(std::span<const V> pattern, std::size_t stride, std::size_t count) {
    using State = decltype(Op::of(V{}, 0));
    const std::size_t period = pattern.size();
    const auto distance = [&](std::size_t rows) { return rows % period * (stride % period); };
    std::vector<State> doubled;  // runs of `length`
    doubled.reserve(period);
    for (const V& value : pattern) {
        doubled.push_back(Op::of(value, 0));
    }
    std::vector<State> runs;  // of `done`
    std::size_t done = 0;
    for (std::size_t length = 1;; length *= 2) {
        if ((count & length) != 0) {
            runs = done == 0 ? doubled : joined<Op>(runs, doubled, distance(done), done);
            done += length;
        }
        if (done == count) {
            return runs;
        }
        doubled = joined<Op>(doubled, doubled, distance(length), length);
    }
}

/// Calls work(first, count) for parts of all results, of `at_a_time` results each, on several
/// threads if there are many elements.
template <class Work>
void in_parts(const ReduceLayout& layout, std::size_t at_a_time, Work work) {
    constexpr std::size_t kWorthThreads = std::size_t{1} << 20;
    constexpr std::size_t kMostThreads = 16;
    const std::size_t results = layout.results();
    const std::size_t parts = (results + at_a_time - 1) / at_a_time;
    const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
    const std::size_t threads =
        layout.elements() < kWorthThreads ? 1 : std::min({parts, cores, kMostThreads});
    ThreadPool pool;
    pool.run(threads, [&](std::size_t thread) {
        for (std::size_t part = thread; part < parts; part += threads) {
            const std::size_t first = part * at_a_time;
            work(first, std::min(at_a_time, results - first));
        }
    });
}

/// Calls use(result, state) for each result that has elements, from several threads.
template <class Op, class V, class Use>
void reduce_all(std::span<const V> pattern, const ReduceLayout& layout, Use use) {
    constexpr std::size_t kRowsAtATime = 64;
    constexpr std::size_t kManyPeriods = 64;
    const std::size_t period = pattern.size();
    if (layout.shape.kind == ReduceKind::columns && layout.elements() > kManyPeriods * period) {
        const ElementRun run = layout.run(0);
        const auto runs = strided_runs<Op>(pattern, run.stride, run.count);
        in_parts(layout, kColumnsAtATime, [&](std::size_t first, std::size_t count) {
            for (std::size_t column = first; column < first + count; ++column) {
                use(column, runs[layout.run(column).first % period]);
            }
        });
        return;
    }
    const bool columns = layout.shape.kind == ReduceKind::columns;
    const PatternStates<Op, V> states(columns ? pattern.first(0) : pattern);
    in_parts(layout, columns ? kColumnsAtATime : kRowsAtATime,
             [&](std::size_t first, std::size_t count) {
                 if (columns) {
                     reduce_columns<Op>(pattern, layout, first, count, use);
                     return;
                 }
                 for (std::size_t result = first; result < first + count; ++result) {
                     if (const ElementRun run = layout.run(result); run.count > 0) {
                         use(result, reduce_run(states, run));
                     }
                 }
             });
}

/// Writes a number as a value of the result's type. One of 16 bits is rounded from float32, as the
/// kernels do.
template <class Number>
void store(ElementType type, Number number, std::byte* bytes) {
    visit_element(type, [&]<class R>(R) {
        using Rounded = std::conditional_t<std::is_arithmetic_v<R>, R, float>;
        const R value(static_cast<Rounded>(number));
        std::memcpy(bytes, &value, sizeof value);
    });
}

/// The value of no elements for every result; for an operation that answers with an index, -1.
std::vector<std::byte> values_of_nothing(const ReduceTypes& types, std::size_t results) {
    std::array<std::byte, 8> nothing{};
    if (operation_row(types.op).kind == ResultKind::index) {
        nothing.fill(std::byte{0xff});
    } else {
        nothing = value_of_nothing(types.op, types.result);
    }
    const std::size_t bytes = bytes_of(types.result);
    std::vector<std::byte> values(results * bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = nothing[i % bytes];
    }
    return values;
}

/// The largest error of a float32 sum of mirrored data. Up to 2^24 elements every partial sum is
/// exact. Beyond, a kernel whose stride resonates with the period can pass 2^24 units and round, by
/// a few units for each doubling (measured: one unit at 2^27); a lost tile is thousands of units.
double rounding_of_sum(std::size_t n) {
    constexpr double kUnit = 1.0 / 256;
    constexpr double kExact = 1 << 24;
    const double beyond = static_cast<double>(n) / kExact;
    return beyond <= 1 ? 0 : 16 * kUnit * beyond;
}

/// How far a right result may be off. A mean is one division, for which compilers may take two
/// units in the last place. A root may be off by one unit; one lost element changes it by more
/// (reduce_data.hpp). Sums of magnitudes grow with n: the sum of a lane stays exact, the last
/// levels of the tree round.
Tolerance tolerance_in(ElementType accumulated, ReduceOp op, std::size_t n) {
    constexpr std::size_t kExactMagnitudes = std::size_t{1} << 19;
    constexpr double kRoundingOfMagnitudes = 1e-6;
    constexpr double kRoundingOfAll = 1e-5;
    constexpr double kRoundingOfAllWide = 1e-12;
    const bool narrow = accumulated == ElementType::float32;
    const double unit =
        narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    switch (operation_row(op).rounding) {
        case Rounding::exact:
            return {};
        case Rounding::sum:
            return {narrow ? rounding_of_sum(n) : 0, 0};
        case Rounding::mean:
            return {narrow ? rounding_of_sum(n) / static_cast<double>(n) : 0, 2 * unit};
        case Rounding::magnitudes:
            return {0, narrow && n > kExactMagnitudes ? kRoundingOfMagnitudes : 0};
        case Rounding::root:
            return {0, narrow && n > kExactMagnitudes ? kRoundingOfMagnitudes : unit};
        case Rounding::inexact:
            return {0, narrow ? kRoundingOfAll : kRoundingOfAllWide};
    }
    return {};
}

/// The tolerance of results.
Tolerance tolerance_of(const ReduceTypes& types, std::size_t n) {
    const double step = step_of(types.result);
    if (step == 0) {
        return tolerance_in(types.result, types.op, n);
    }
    Tolerance tolerance = tolerance_in(ElementType::float32, types.op, n);
    if (tolerance.absolute > 0 || tolerance.relative > 0) {
        constexpr double kLeastHalf = 0x1p-24;
        tolerance.absolute *= static_cast<double>(trial_scale(types, n));
        tolerance.absolute += types.result == ElementType::float16 ? kLeastHalf : 0;
        tolerance.relative += step;
    }
    return tolerance;
}

}  // namespace

float trial_scale(const ReduceTypes& types, std::size_t longest) {
    constexpr float kUpForMeans = 0x1p15F;
    constexpr std::size_t kInRange = std::size_t{1} << 21;
    constexpr std::size_t kMostBeyond = std::size_t{1} << 16;  // so that elements stay exact
    const TrialData data = operation_row(types.op).data;
    if (types.result != ElementType::float16) {
        return 1;
    }
    if (data == TrialData::magnitudes || data == TrialData::squares) {
        const std::size_t beyond = std::bit_ceil(std::max<std::size_t>(longest / kInRange, 1));
        return 1 / static_cast<float>(std::min(beyond, kMostBeyond));
    }
    return types.op == ReduceOp::mean ? kUpForMeans : 1;
}

Expected reduce_reference(const ReduceTypes& types, const ReduceLayout& layout,
                          std::span<const std::byte> pattern) {
    Expected expected{types.result, layout.shape.kind, values_of_nothing(types, layout.results()),
                      tolerance_of(types, layout.longest())};
    const std::size_t bytes = bytes_of(types.result);
    visit_element(types.element, [&]<class T>(T) {
        using V = Widest<T>;
        const std::vector<V> values = widened<T>(pattern);
        reference::visit_operation<V>(types.op, [&]<class Op>(Op) {
            reduce_all<Op>(std::span<const V>(values), layout,
                           [&](std::size_t result, const auto& state) {
                               store(types.result, Op::answer(state, layout.run(result).count),
                                     expected.values.data() + result * bytes);
                           });
        });
    });
    return expected;
}

}  // namespace jitune::internal
