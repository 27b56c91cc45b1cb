/* jitune template
kernel = "reduce_columns"
backend = "host"
summary = "each column of a row-major matrix to one value by an associative operation"
include = ["reduce_types.toml", "reduce_host.toml"]
cache = "warm"
sizes = ["rows", "columns"]
prune = [
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, rows * columns * element_bytes / 65536)",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
strip_bytes = { values = [512, 2048, 8192], default = 2048 }

[[default]]  # threads that have a share; vectors of 32 bytes, which come compiled with the library
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, rows * columns * element_bytes / 65536)) - 1)"
strip_bytes = 512

[arguments]
values = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "uint64", value = "rows" }
columns = { access = "scalar", type = "uint64", value = "columns" }
threads = { access = "scalar", type = "int32", value = "threads" }
states = { access = "scratch", type = "uint64", count = "4 * threads * strip_bytes / element_bytes" }
results = { access = "out", type = "result", count = "columns" }

[[launch]]
entry = "jitune::reduce_columns"
template = ["element", "accumulator", "result", "operation", "strip_bytes", "simd_bytes_used"]
arguments = ["values", "rows", "columns", "threads", "states", "results"]

[reference]
entry = "jitune::reduce_columns_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "rows", "columns", "results"]
*/
#include "jitune_host_fold.h"
#include "jitune_host_threads.h"

namespace jitune {

/// A piece of some columns that lie side by side, at most kColumns of them.
template <class T>
struct Strip {
    const T* values;
    Index pitch;  ///< elements from row to row
    Index rows;
    Index first_row;
    int columns;
};

/// The operations that vectors know. 64 rows at a time are combined in lanes that stay in the cache
/// next to the core; sums of floats then carry along what the addition of such blocks rounds away.
template <class T, class A, class R, template <class, class, class> class Operation, int kColumns,
          int kSimdBytes>
struct LaneColumns {
    using Op = Operation<T, A, R>;
    using Rule = LaneRule<T, A, R, Operation>;
    using State = typename Op::State;
    using Lane = typename Rule::Lane;
    static constexpr int kLanes = kSimdBytes / int{sizeof(Lane)};
    static constexpr int kVectors = (kColumns + kLanes - 1) / kLanes;
    using Lanes = Vector<Lane, kLanes>;
    using Total = typename Rule::Total;
    using Totals = decltype([] {
        if constexpr (Rule::kRounds) {
            return CompensatedPart<Rule, kLanes>{};
        } else {
            return PlainTotal<Rule, kLanes>{};
        }
    }());

    JITUNE_UNMERGED static void reduce(const Strip<T>& strip, State* states) {
        const int together = kColumns / strip.columns;
        if (together < 2 || strip.pitch != static_cast<Index>(strip.columns)) {
            reduce_wide(strip, states);
            return;
        }
        // Narrow matrices: so many rows are one wide row.
        const Index wide_rows = strip.rows / together;
        const int wide = strip.columns * together;
        State wide_states[kColumns];
        for (int i = 0; i < strip.columns; ++i) {
            states[i] = Op::identity();
        }
        if (wide_rows > 0) {
            reduce_wide({strip.values, static_cast<Index>(wide), wide_rows, 0, wide}, wide_states);
            for (int first = 0; first < wide; first += strip.columns) {
                combine_row(strip.columns, states, [&](int i) { return wide_states[first + i]; });
            }
        }
        for (Index row = wide_rows * together; row < strip.rows; ++row) {
            const T* values = strip.values + row * strip.pitch;
            combine_row(strip.columns, states, [&](int i) { return Op::map(values[i], row); });
        }
    }

private:
    static JITUNE_FUNCTION void combine_row(int columns, State* states, const auto& other) {
        for (int i = 0; i < columns; ++i) {
            states[i] = Op::combine(states[i], other(i));
        }
    }

    /// The last vector overlaps the one before it.
    static JITUNE_FUNCTION int column_of(const Strip<T>& strip, int vector) {
        const int last = strip.columns - kLanes;
        return vector * kLanes < last ? vector * kLanes : last;
    }

    template <int kRows>
    static JITUNE_FUNCTION void add_rows(const Strip<T>& strip, Index row, int vectors,
                                         Lanes* block) {
        const T* values = strip.values + row * strip.pitch;
        for (int v = 0; v < vectors; ++v) {
            Lanes lanes = block[v];
            for (int r = 0; r < kRows; ++r) {
                const T* next = values + r * strip.pitch + column_of(strip, v);
                lanes = Rule::template combine<Lane>(
                    lanes, Rule::template map_each<kLanes>(load_stored<kLanes>(next)));
            }
            block[v] = lanes;
        }
    }

    static JITUNE_FUNCTION void reduce_block(const Strip<T>& strip, Index row, Index end,
                                             int vectors, Lanes* block) {
        for (int v = 0; v < vectors; ++v) {
            const T* first = strip.values + row * strip.pitch + column_of(strip, v);
            block[v] = Rule::template map_each<kLanes>(load_stored<kLanes>(first));
        }
        for (++row; row + 4 <= end; row += 4) {
            add_rows<4>(strip, row, vectors, block);
        }
        for (; row < end; ++row) {
            add_rows<1>(strip, row, vectors, block);
        }
    }

    /// Of at least kLanes columns and one row.
    JITUNE_UNMERGED static void reduce_wide(const Strip<T>& strip, State* states) {
        const int vectors = (strip.columns + kLanes - 1) / kLanes;
        Lanes block[kVectors];
        Totals totals[kVectors];
        for (Index row = 0; row < strip.rows; row += Rule::kSteps) {
            reduce_block(strip, row, smaller(strip.rows, row + Rule::kSteps), vectors, block);
            for (int v = 0; v < vectors; ++v) {
                const Totals more{convert_lanes<Total, Lane, kLanes>(block[v])};
                if (row == 0) {
                    totals[v] = more;
                } else {
                    totals[v].add(more);
                }
            }
        }
        for (int v = 0; v < vectors; ++v) {
            for (int lane = 0; lane < kLanes; ++lane) {
                states[column_of(strip, v) + lane] = Rule::state(totals[v].lane(lane));
            }
        }
    }
};

/// Any operation: 512 rows at a time.
template <class Op, class T, int kColumns>
struct AnyColumns {
    using State = typename Op::State;

    JITUNE_UNMERGED static void reduce(const Strip<T>& strip, State* states) {
        constexpr Index kBlock = 512;
        State block[kColumns];
        for (int i = 0; i < strip.columns; ++i) {
            states[i] = Op::identity();
        }
        for (Index row = 0; row < strip.rows; row += kBlock) {
            reduce_block(strip, row, smaller(strip.rows, row + kBlock), block);
            for (int i = 0; i < strip.columns; ++i) {
                states[i] = Op::combine(states[i], block[i]);
            }
        }
    }

private:
    JITUNE_UNMERGED static void reduce_block(const Strip<T>& strip, Index row, Index end,
                                             State* block) {
        for (int i = 0; i < strip.columns; ++i) {
            block[i] = Op::identity();
        }
        for (; row < end; ++row) {
            const T* values = strip.values + row * strip.pitch;
            for (int i = 0; i < strip.columns; ++i) {
                block[i] = Op::combine(block[i], Op::map(values[i], strip.first_row + row));
            }
        }
    }
};

template <class T, class A, class R, template <class, class, class> class Operation, int kColumns,
          int kSimdBytes>
constexpr auto columns_type() {
    if constexpr (!kHasLanes<T, A, R, Operation>) {
        return Type<AnyColumns<Operation<T, A, R>, T, kColumns>>{};
    } else {
        return Type<LaneColumns<T, A, R, Operation, kColumns, kSimdBytes>>{};
    }
}

/// If there are fewer strips than threads, each is cut into pieces of rows. Combines in an order
/// that depends on nothing but rows, columns, `threads` and the template arguments.
template <class T, class A, class R, template <class, class, class> class Operation,
          int kStripBytes, int kSimdBytes>
void reduce_columns(const T* values, Index rows, Index columns, int threads, Index* scratch,
                    R* results) {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;
    constexpr int kColumns = kStripBytes / int{sizeof(T)};
    using Columns = typename decltype(columns_type<T, A, R, Operation, kColumns, kSimdBytes>())::type;
    threads = useful_threads(threads, rows * columns * sizeof(T));
    const Index strips = ceil_div(columns, kColumns);
    const Index pieces = smaller(rows, ceil_div(threads, strips));
    State* const states = reinterpret_cast<State*>(scratch);
    for_each(strips * pieces, threads, [&](Index item) {
        const Index piece = item / strips;
        const Index column = share_begin(columns, item % strips, strips);
        const Index end = share_begin(columns, item % strips + 1, strips);
        const Index row = share_begin(rows, piece, pieces);
        const Strip<T> strip{values + row * columns + column, columns,
                             share_begin(rows, piece + 1, pieces) - row, row,
                             static_cast<int>(end - column)};
        if (pieces > 1) {
            Columns::reduce(strip, states + piece * columns + column);
            return;
        }
        State own[kColumns];
        Columns::reduce(strip, own);
        for (Index i = column; i < end; ++i) {
            results[i] = Op::result(own[i - column], rows);
        }
    });
    for (Index i = 0; pieces > 1 && i < columns; ++i) {
        State state = states[i];
        for (Index piece = 1; piece < pieces; ++piece) {
            state = Op::combine(state, states[piece * columns + i]);
        }
        results[i] = Op::result(state, rows);
    }
}

template <class T, class A, class R, template <class, class, class> class Operation>
void reduce_columns_serially(const T* values, Index rows, Index columns, R* results) {
    using Op = Operation<T, A, R>;
    for (Index column = 0; column < columns; ++column) {
        typename Op::State state = Op::identity();
        for (Index row = 0; row < rows; ++row) {
            state = Op::combine(state, Op::map(values[row * columns + column], row));
        }
        results[column] = Op::result(state, rows);
    }
}

}  // namespace jitune
