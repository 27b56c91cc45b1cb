// Entropies of the windows of a tile, on the host.
#pragma once

#include "jitune_entropy.h"
#include "jitune_host_vector.h"

namespace jitune {

template <int window>
inline constexpr FixedLogs<window> kFixedLogs;

/// The entropy of a window with `count` elements, of which `sum` is the sum of n log n.
template <int window>
float entropy_of(unsigned sum, int count, double scale) {
    const auto rest = static_cast<double>(kFixedLogs<window>.values[count] - sum);
    return static_cast<float>(rest * (scale / FixedLogs<window>::one() / count));
}

using Counts = Vector<unsigned char, 16>;

/// What an n adds to the entropy of a whole window of N elements, -(n/N) log(n/N), in units of
/// which the largest has 24 bits: its bytes, each in tables of 16 that one instruction looks up.
template <int window>
struct PartTables {
    static constexpr int kMost = window * window;
    static constexpr int kTables = kMost / 16 + 1;
    static constexpr int kDigits = 3;
    static constexpr double kUnit = 0.36788 / 16777215;  // above 1/e, the largest there can be

    static constexpr unsigned part(int n) {
        if (n == 0 || n >= kMost) {
            return 0;
        }
        const double share = static_cast<double>(n) / kMost;
        return static_cast<unsigned>(share * (natural_log(kMost) - natural_log(n)) / kUnit + 0.5);
    }

    constexpr PartTables() : parts(), digits() {
        for (int n = 0; n < 16 * kTables; ++n) {
            parts[n] = part(n);
            for (int digit = 0; digit < kDigits; ++digit) {
                digits[n / 16][digit][n % 16] =
                    static_cast<unsigned char>(parts[n] >> (8 * digit) & 255);
            }
        }
    }
    unsigned parts[16 * kTables];
    alignas(16) unsigned char digits[kTables][kDigits][16];
};
template <int window>
inline constexpr PartTables<window> kParts;

/// The sum of the parts of 16 counts.
template <int window>
JITUNE_FUNCTION unsigned long long sum_parts(Counts counts) {
    const PartTables<window>& tables = kParts<window>;
#ifdef __SSSE3__
    using Bytes = Vector<char, 16>;
    Bytes digits[PartTables<window>::kDigits] = {};
    for (int table = 0; table < PartTables<window>::kTables; ++table) {
        // Only counts of this table's stay below 128, where the look-up does not give 0.
        static_assert(PartTables<window>::kMost < 128);
        const auto places = (Bytes)((counts ^ (unsigned char)(16 * table)) + 0x70);
        for (int digit = 0; digit < PartTables<window>::kDigits; ++digit) {
            const auto values = *(const Bytes*)tables.digits[table][digit];
            digits[digit] |= __builtin_ia32_pshufb128(values, places);
        }
    }
    Vector<long long, 2> sums = {};
    for (int digit = PartTables<window>::kDigits - 1; digit >= 0; --digit) {
        sums = (sums << 8) + (Vector<long long, 2>)__builtin_ia32_psadbw128(digits[digit], Bytes{});
    }
    return static_cast<unsigned long long>(sums[0] + sums[1]);
#else
    unsigned long long sum = 0;
    for (int i = 0; i < 16; ++i) {
        sum += tables.parts[counts[i]];
    }
    return sum;
#endif
}

/// A tile of an array, and which rows and columns its windows reach.
template <class T, int window>
struct Tile {
    static constexpr int kRadius = window / 2;

    const T* input;
    long long rows, columns;
    long long first_row, end_row, first_column, end_column;
    double scale;
    float* output;

    [[nodiscard]] long long reach_begin() const {
        return first_column > kRadius ? first_column - kRadius : 0;
    }
    [[nodiscard]] long long reach_end() const {
        return end_column + kRadius < columns ? end_column + kRadius : columns;
    }
    [[nodiscard]] int height(long long row) const { return extent(row, rows); }
    [[nodiscard]] int width(long long column) const { return extent(column, columns); }

private:
    static int extent(long long at, long long size) {
        const long long first = at > kRadius ? at - kRadius : 0;
        const long long last = at + kRadius < size ? at + kRadius : size - 1;
        return static_cast<int>(last - first + 1);
    }
};

/// The levels of the rows that the windows of one row have.
template <class T, int window, int levels, int most_columns>
class LevelRows {
public:
    explicit LevelRows(const Tile<T, window>& tile) : tile_(tile) {}

    void read(long long row) {
        const T* const from = tile_.input + row * tile_.columns + tile_.reach_begin();
        unsigned char* const to = rows_[row % window];
        const auto count = static_cast<int>(tile_.reach_end() - tile_.reach_begin());
        for (int i = 0; i < count; ++i) {
            to[i] = static_cast<unsigned char>(level_of<levels>(from[i]));
        }
    }

    /// One of the last `window` rows that were read, from the first column of the tile's reach on.
    [[nodiscard]] const unsigned char* operator[](long long row) const {
        return rows_[row % window];
    }

private:
    const Tile<T, window>& tile_;
    unsigned char rows_[window][most_columns + window];
};

/// Calls enter(row) and leave(row) for each row that the windows get and lose on their way down the
/// tile, and done(row) when they are those of `row`. A row leaves before the row that takes its
/// place among the level rows is read.
template <class T, int window, class Enter, class Leave, class Done>
void march(const Tile<T, window>& tile, Enter enter, Leave leave, Done done) {
    constexpr long long kRadius = window / 2;
    const long long top = tile.first_row > kRadius ? tile.first_row - kRadius : 0;
    for (long long row = top; row < tile.first_row + kRadius && row < tile.rows; ++row) {
        enter(row);
    }
    for (long long row = tile.first_row; row < tile.end_row; ++row) {
        if (row - kRadius > top) {
            leave(row - kRadius - 1);
        }
        if (row + kRadius < tile.rows) {
            enter(row + kRadius);
        }
        done(row);
    }
}

/// Histograms of columns, of which windows are sums: a byte for each level, 16 in a vector.
template <class T, int window, int levels, int tile_columns>
void sum_columns(const Tile<T, window>& tile) {
    constexpr int kVectors = (levels + 15) / 16;
    constexpr long long kRadius = window / 2;
    struct Histogram {
        Counts counts[kVectors];

        void add(const Histogram& other) {
            for (int v = 0; v < kVectors; ++v) {
                counts[v] += other.counts[v];
            }
        }
        void subtract(const Histogram& other) {
            for (int v = 0; v < kVectors; ++v) {
                counts[v] -= other.counts[v];
            }
        }
    };
    Histogram one[levels] = {};
    for (int level = 0; level < levels; ++level) {
        one[level].counts[level / 16][level % 16] = 1;
    }
    Histogram columns[tile_columns + window] = {};
    LevelRows<T, window, levels, tile_columns> level_rows(tile);
    const long long begin = tile.reach_begin();
    const auto reach = static_cast<int>(tile.reach_end() - begin);

    const auto enter = [&](long long row) {
        level_rows.read(row);
        for (int i = 0; i < reach; ++i) {
            columns[i].add(one[level_rows[row][i]]);
        }
    };
    const auto leave = [&](long long row) {
        for (int i = 0; i < reach; ++i) {
            columns[i].subtract(one[level_rows[row][i]]);
        }
    };
    const auto clipped = [&](const Histogram& histogram, int count) {
        unsigned sum = 0;
        for (int level = 0; level < levels; ++level) {
            sum += kFixedLogs<window>.values[histogram.counts[level / 16][level % 16]];
        }
        return entropy_of<window>(sum, count, tile.scale);
    };
    const auto factor = static_cast<float>(tile.scale * PartTables<window>::kUnit);
    const auto done = [&](long long row) {
        const int height = tile.height(row);
        float* const to = tile.output + row * tile.columns;
        Histogram histogram = {};
        long long next = begin;  // the first column that is not in the window yet
        for (long long x = tile.first_column; x < tile.end_column; ++x) {
            for (; next < tile.reach_end() && next <= x + kRadius; ++next) {
                histogram.add(columns[next - begin]);
            }
            if (const int count = height * tile.width(x); count == window * window) {
                unsigned long long sum = 0;
                for (int v = 0; v < kVectors; ++v) {
                    sum += sum_parts<window>(histogram.counts[v]);
                }
                to[x] = static_cast<float>(static_cast<long long>(sum)) * factor;
            } else {
                to[x] = clipped(histogram, count);
            }
            if (x >= kRadius) {
                histogram.subtract(columns[x - kRadius - begin]);
            }
        }
    };
    march(tile, enter, leave, done);
}

/// A histogram that slides along each row: any number of levels, any window.
template <class T, int window, int levels, int tile_columns>
void slide(const Tile<T, window>& tile) {
    constexpr long long kRadius = window / 2;
    LevelRows<T, window, levels, tile_columns> level_rows(tile);
    const long long begin = tile.reach_begin();
    const auto& logs = kFixedLogs<window>.values;
    const auto enter = [&](long long row) { level_rows.read(row); };
    const auto leave = [](long long) {};
    const auto done = [&](long long row) {
        const int height = tile.height(row);
        const unsigned char* rows[window];
        for (int y = 0; y < height; ++y) {
            rows[y] = level_rows[(row > kRadius ? row - kRadius : 0) + y];
        }
        unsigned char counts[levels] = {};
        unsigned sum = 0;
        long long next = begin;
        for (long long x = tile.first_column; x < tile.end_column; ++x) {
            for (; next < tile.reach_end() && next <= x + kRadius; ++next) {
                for (int y = 0; y < height; ++y) {
                    const int n = counts[rows[y][next - begin]]++;
                    sum += logs[n + 1] - logs[n];
                }
            }
            tile.output[row * tile.columns + x] =
                entropy_of<window>(sum, height * tile.width(x), tile.scale);
            for (int y = 0; x >= kRadius && y < height; ++y) {
                const int n = counts[rows[y][x - kRadius - begin]]--;
                sum -= logs[n] - logs[n - 1];
            }
        }
    };
    march(tile, enter, leave, done);
}

}  // namespace jitune
