// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cuda/driver/driver_table.hpp"
#include "fixtures/device_array.hpp"
#include "jitune/reduce_shapes.hpp"

namespace jitune::internal {
namespace {

/// The elements of one result: values[first], values[first + stride] …
struct Members {
    std::size_t first = 0;
    std::size_t stride = 1;
    std::size_t count = 0;
};

/// Small whole numbers, of which every sum here is exact in every order.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
    std::vector<T> result(n);
    for (std::size_t i = 0; i < n; ++i) {
        result[i] = static_cast<T>(static_cast<float>((i * 2654435761u) >> 7 & 31) - 15.0f);
    }
    return result;
}

template <class T>
double number(T value) {
    return static_cast<double>(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(value));
}

template <class R, class T>
R expected(ReduceOp op, const std::vector<T>& values, const Members& run) {
    double sum = 0;
    double top = 0;
    double bottom = 0;
    std::int64_t bottom_at = -1;
    for (std::size_t i = 0; i < run.count; ++i) {
        const double x = number(values[run.first + i * run.stride]);
        sum += x;
        top = i == 0 || x > top ? x : top;
        if (i == 0 || x < bottom) {
            bottom = x;
            bottom_at = static_cast<std::int64_t>(i);
        }
    }
    switch (op) {
        case ReduceOp::sum:
            return static_cast<R>(sum);
        case ReduceOp::max:
            return static_cast<R>(top);
        case ReduceOp::arg_min:
            return static_cast<R>(bottom_at);
        default:
            return static_cast<R>(sum) / static_cast<R>(run.count);
    }
}

std::vector<Members> runs_of_rows(std::size_t rows, std::size_t columns) {
    std::vector<Members> runs;
    for (std::size_t row = 0; row < rows; ++row) {
        runs.push_back({row * columns, 1, columns});
    }
    return runs;
}

std::vector<Members> runs_of_columns(std::size_t rows, std::size_t columns) {
    std::vector<Members> runs;
    for (std::size_t column = 0; column < columns; ++column) {
        runs.push_back({column, columns, rows});
    }
    return runs;
}

/// Mostly short or empty segments, a few long ones, and one that holds most elements.
std::vector<std::int64_t> ragged_offsets(std::size_t segments) {
    std::vector<std::int64_t> offsets{0};
    for (std::size_t i = 0; i < segments; ++i) {
        std::int64_t size = static_cast<std::int64_t>(i * 2654435761u >> 9 & 15) - 6;
        size = i % 4001 == 7 ? 5000 : size < 0 ? 0 : size;
        size = i == segments / 3 ? 1'000'000 : size;
        offsets.push_back(offsets.back() + size);
    }
    return offsets;
}

std::vector<Members> runs_of_segments(const std::vector<std::int64_t>& offsets) {
    std::vector<Members> runs;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        runs.push_back({static_cast<std::size_t>(offsets[i]), 1,
                        static_cast<std::size_t>(offsets[i + 1] - offsets[i])});
    }
    return runs;
}

Options default_only() {
    Options options;
    options.database.clear();
    options.on_miss = TunePolicy::template_default;
    return options;
}

class ReduceShapesGpu : public testing::Test {
protected:
    void SetUp() override {
        for (const DeviceDescription& device : session_.devices()) {
            if (device.id.starts_with("cuda") && !device.missing.empty()) {
                GTEST_SKIP() << device.missing;
            }
        }
        driver_ = load_driver();
        CUdevice device = 0;
        ASSERT_EQ(driver_->cuDeviceGet(&device, 0), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuDevicePrimaryCtxRetain(&context_, device), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuCtxPushCurrent(context_), CUDA_SUCCESS);
    }

    void TearDown() override {
        if (context_ != nullptr) {
            CUcontext popped = nullptr;
            driver_->cuCtxPopCurrent(&popped);
        }
    }

    /// `reduce` enqueues one call that writes a result per run. It is called twice, for the second
    /// call finds the work memory that the first one left.
    template <class R, class T, class Reduce>
    void check(ReduceOp op, const std::vector<T>& values, const std::vector<Members>& runs,
               const Reduce& reduce) {
        DeviceArray<R> results(*driver_, runs.size());
        for (int call = 0; call < 2; ++call) {
            reduce(results.data());
            const std::vector<R> got = results.download();
            int wrong = 0;
            for (std::size_t i = 0; i < runs.size() && wrong < 3; ++i) {
                const bool nothing = op == ReduceOp::max && runs[i].count == 0;
                const R want = expected<R>(op, values, runs[i]);
                if (!nothing && got[i] != want && (got[i] == got[i] || want == want)) {
                    ++wrong;
                    ADD_FAILURE() << to_string(op) << " of " << to_string(kElementType<T>)
                                  << ", call " << call << ", result " << i << " of " << runs.size()
                                  << ": " << got[i] << ", not " << want;
                }
            }
        }
    }

    template <class R, class T>
    void check_rows(const Reduction& reduction, std::size_t rows, std::size_t columns,
                    std::size_t offset = 0) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << columns << " at " << offset);
        const auto values = small_numbers<T>(rows * columns);
        const DeviceArray<T> array(*driver_, values, offset);
        check<R>(reduction.op, values, runs_of_rows(rows, columns), [&](R* results) {
            tuned_reduce_rows(array.data(), rows, columns, results, reduction, nullptr, session_);
        });
    }

    template <class R, class T>
    void check_columns(const Reduction& reduction, std::size_t rows, std::size_t columns,
                       std::size_t offset = 0) {
        SCOPED_TRACE(testing::Message() << columns << " columns of " << rows << " at " << offset);
        const auto values = small_numbers<T>(rows * columns);
        const DeviceArray<T> array(*driver_, values, offset);
        check<R>(reduction.op, values, runs_of_columns(rows, columns), [&](R* results) {
            tuned_reduce_columns(array.data(), rows, columns, results, reduction, nullptr,
                                 session_);
        });
    }

    template <class R, class T>
    void check_segments(const Reduction& reduction, const std::vector<std::int64_t>& offsets,
                        std::size_t offset = 0) {
        SCOPED_TRACE(testing::Message() << offsets.size() - 1 << " segments at " << offset);
        const auto n = static_cast<std::size_t>(offsets.back());
        const auto values = small_numbers<T>(n);
        const DeviceArray<T> array(*driver_, values, offset);
        const DeviceArray<std::int64_t> device_offsets(*driver_, offsets);
        check<R>(reduction.op, values, runs_of_segments(offsets), [&](R* results) {
            tuned_reduce_segments(array.data(), n, device_offsets.data(), offsets.size() - 1,
                                  results, reduction, nullptr, session_);
        });
    }

    template <class T>
    void check_all_operations(std::size_t rows, std::size_t columns) {
        using Sum = ReducedType<T>;
        using Mean = std::conditional_t<std::is_integral_v<T>, double, Sum>;
        check_rows<Sum, T>(ReduceOp::sum, rows, columns);
        check_rows<Sum, T>(ReduceOp::max, rows, columns);
        check_rows<std::int64_t, T>(ReduceOp::arg_min, rows, columns);
        check_rows<Mean, T>(ReduceOp::mean, rows, columns);
        check_columns<Sum, T>(ReduceOp::sum, rows, columns);
        check_columns<Sum, T>(ReduceOp::max, rows, columns);
        check_columns<std::int64_t, T>(ReduceOp::arg_min, rows, columns);
        check_columns<Mean, T>(ReduceOp::mean, rows, columns);
    }

    template <class T>
    void check_matrices() {
        constexpr std::size_t kShapes[][2] = {{1, 1},       {1, 1'000'003}, {1'000'003, 1},
                                              {3, 5},       {31, 33},       {1000, 17},
                                              {7, 100'003}, {100'003, 7},   {65'537, 3}};
        for (const auto& [rows, columns] : kShapes) {
            check_all_operations<T>(rows, columns);
        }
    }

    template <class T>
    void check_all_segments(const std::vector<std::int64_t>& offsets) {
        using Sum = ReducedType<T>;
        using Mean = std::conditional_t<std::is_integral_v<T>, double, Sum>;
        check_segments<Sum, T>(ReduceOp::sum, offsets);
        check_segments<Sum, T>(ReduceOp::max, offsets);
        check_segments<std::int64_t, T>(ReduceOp::arg_min, offsets);
        check_segments<Mean, T>(ReduceOp::mean, offsets);
    }

    /// Results of the element's type beside wide ones, of the whole, rows, columns and segments.
    template <class T, class Wide>
    void check_narrow(std::initializer_list<ReduceOp> ops) {
        constexpr std::size_t kRows = 300, kColumns = 700;
        const DeviceArray<T> array(*driver_, small_numbers<T>(kRows * kColumns), 1);
        const DeviceArray<std::int64_t> offsets(
            *driver_, std::vector<std::int64_t>{0, 5, 5, 2000, kRows * kColumns});
        const auto results = [&]<class R>(R, ReduceOp op) {
            std::vector<R> all;
            const DeviceArray<R> out(*driver_, kColumns);
            const auto add = [&](std::size_t count) {
                const std::vector<R> some = out.download();
                all.insert(all.end(), some.begin(),
                           some.begin() + static_cast<std::ptrdiff_t>(count));
            };
            tuned_reduce(array.data(), kRows * kColumns, out.data(), op, nullptr, session_);
            add(1);
            tuned_reduce_rows(array.data(), kRows, kColumns, out.data(), op, nullptr, session_);
            add(kRows);
            tuned_reduce_columns(array.data(), kRows, kColumns, out.data(), op, nullptr, session_);
            add(kColumns);
            tuned_reduce_segments(array.data(), kRows * kColumns, offsets.data(), 4, out.data(), op,
                                  nullptr, session_);
            add(1);
            return all;
        };
        for (const ReduceOp op : ops) {
            const std::vector<T> narrow = results(T{}, op);
            const std::vector<Wide> wide = results(Wide{}, op);
            ASSERT_EQ(narrow.size(), wide.size());
            for (std::size_t i = 0; i < narrow.size(); ++i) {
                ASSERT_EQ(number(narrow[i]), number(T(wide[i]))) << to_string(op) << " " << i;
            }
        }
    }

    Session session_{default_only()};
    std::shared_ptr<const DriverTable> driver_;
    CUcontext context_ = nullptr;
};

TEST_F(ReduceShapesGpu, NarrowResultsAreTheWideOnesRounded) {
    check_narrow<float16, float>({ReduceOp::sum, ReduceOp::mean, ReduceOp::max, ReduceOp::norm});
    check_narrow<bfloat16, float>({ReduceOp::sum, ReduceOp::mean, ReduceOp::max, ReduceOp::norm});
    check_narrow<std::int8_t, std::int32_t>({ReduceOp::min, ReduceOp::max});
    check_narrow<std::uint16_t, std::uint32_t>({ReduceOp::min, ReduceOp::max});
}

TEST_F(ReduceShapesGpu, AnEmptySegmentHasTheExtremeOfANarrowType) {
    const DeviceArray<std::int8_t> array(*driver_, std::vector<std::int8_t>{7, -3, 5});
    const DeviceArray<std::int64_t> offsets(*driver_, std::vector<std::int64_t>{0, 0, 3, 3});
    const DeviceArray<std::int8_t> out(*driver_, 3);
    tuned_reduce_segments(array.data(), 3, offsets.data(), 3, out.data(), ReduceOp::min, nullptr,
                          session_);
    EXPECT_EQ(out.download(), (std::vector<std::int8_t>{127, -3, 127}));
    tuned_reduce_segments(array.data(), 3, offsets.data(), 3, out.data(), ReduceOp::max, nullptr,
                          session_);
    EXPECT_EQ(out.download(), (std::vector<std::int8_t>{-128, 7, -128}));
}

TEST_F(ReduceShapesGpu, RowsAndColumnsOfFloat32) {
    check_matrices<float>();
}
TEST_F(ReduceShapesGpu, RowsAndColumnsOfInt32) {
    check_matrices<std::int32_t>();
}
TEST_F(ReduceShapesGpu, RowsAndColumnsOfFloat16) {
    check_matrices<float16>();
}
TEST_F(ReduceShapesGpu, RowsAndColumnsOfInt8) {
    check_matrices<std::int8_t>();
}
TEST_F(ReduceShapesGpu, RowsAndColumnsOfFloat64) {
    check_matrices<double>();
}

TEST_F(ReduceShapesGpu, SegmentsWithEmptyOnesAndAHugeOne) {
    const auto offsets = ragged_offsets((std::size_t{1} << 16) + 1);
    check_all_segments<float>(offsets);
    check_all_segments<std::int32_t>(offsets);
    check_all_segments<float16>(offsets);
    check_all_segments<std::int8_t>(offsets);
    check_all_segments<double>(offsets);
}

TEST_F(ReduceShapesGpu, FewSegmentsAndNone) {
    check_all_segments<float>({0, 1});
    check_all_segments<float>({0, 0, 0, 5, 5});
    check_all_segments<float>({0, 1'000'003});
    check_all_segments<std::int8_t>({0, 17, 1'000'003});
}

TEST_F(ReduceShapesGpu, ElementsThatNoSegmentHasAreLeftOut) {
    const std::vector<std::int64_t> offsets{3, 3, 70'001, 90'000};
    const std::size_t n = 100'000;
    const auto values = small_numbers<float>(n);
    const DeviceArray<float> array(*driver_, values);
    const DeviceArray<std::int64_t> device_offsets(*driver_, offsets);
    check<float>(ReduceOp::sum, values, runs_of_segments(offsets), [&](float* results) {
        tuned_reduce_segments(array.data(), n, device_offsets.data(), offsets.size() - 1, results,
                              ReduceOp::sum, nullptr, session_);
    });
}

TEST_F(ReduceShapesGpu, PointersNeedTheAlignmentOfTheirElementOnly) {
    for (const std::size_t offset : {1u, 2u, 3u}) {
        check_rows<float, float>(ReduceOp::sum, 1000, 64, offset);
        check_rows<std::int64_t, std::int8_t>(ReduceOp::arg_min, 1000, 17, offset);
        check_columns<float, float>(ReduceOp::sum, 1000, 64, offset);
        check_columns<float, float>(ReduceOp::sum, 7, 100'000, offset);
        check_columns<std::int64_t, std::int8_t>(ReduceOp::arg_min, 1000, 17, offset);
        check_segments<float, float>(ReduceOp::sum, ragged_offsets(1000), offset);
    }
}

TEST_F(ReduceShapesGpu, RowsInEveryKindOfConfiguration) {
    for (const std::string_view configuration :
         {"layout=direct block=128 threads_per_row=1 unroll=2 blocks_per_sm=1024 release=early",
          "layout=direct block=256 threads_per_row=8 unroll=8 blocks_per_sm=4 release=late",
          "layout=direct block=512 threads_per_row=512 unroll=4 blocks_per_sm=2 release=late",
          "layout=staged block=128 threads_per_row=2 unroll=4 blocks_per_sm=16 release=early"}) {
        SCOPED_TRACE(configuration);
        check_rows<float, float>({ReduceOp::sum, configuration}, 31, 33);
        check_rows<float, float>({ReduceOp::sum, configuration}, 10'000, 4);
        check_rows<std::int64_t, float16>({ReduceOp::arg_min, configuration}, 1000, 17, 1);
        check_rows<std::int64_t, float>({ReduceOp::arg_min, configuration}, 7, 100'003);
    }
}

TEST_F(ReduceShapesGpu, ColumnsInEveryKindOfConfiguration) {
    for (const std::string_view configuration :
         {"layout=flat block=256 threads_across=1 pack_bytes=8 unroll=4 blocks_per_sm=4",
          "layout=flat block=1024 threads_across=1 pack_bytes=4 unroll=2 blocks_per_sm=1",
          "layout=tiles block=256 threads_across=8 pack_bytes=8 unroll=8 blocks_per_sm=8",
          "layout=tiles block=256 threads_across=256 pack_bytes=4 unroll=4 blocks_per_sm=4"}) {
        SCOPED_TRACE(configuration);
        check_columns<float, float>({ReduceOp::sum, configuration}, 31, 33);
        check_columns<float, float>({ReduceOp::sum, configuration}, 10'000, 4);
        check_columns<std::int64_t, float16>({ReduceOp::arg_min, configuration}, 1000, 17, 1);
        check_columns<std::int64_t, float>({ReduceOp::arg_min, configuration}, 7, 100'003);
    }
}

TEST_F(ReduceShapesGpu, SegmentsInEveryKindOfConfiguration) {
    const auto offsets = ragged_offsets(5000);
    for (const std::string_view configuration :
         {"layout=groups block=256 threads_per_segment=1 items_per_thread=16 blocks_per_sm=10",
          "layout=groups block=128 threads_per_segment=32 items_per_thread=32 blocks_per_sm=10",
          "layout=groups block=256 threads_per_segment=256 items_per_thread=16 blocks_per_sm=10",
          "layout=merge block=64 threads_per_segment=1 items_per_thread=8 blocks_per_sm=16",
          "layout=merge block=64 threads_per_segment=1 items_per_thread=16 blocks_per_sm=10",
          "layout=merge block=64 threads_per_segment=1 items_per_thread=32 blocks_per_sm=8"}) {
        SCOPED_TRACE(configuration);
        check_segments<float, float>({ReduceOp::sum, configuration}, offsets);
        check_segments<std::int64_t, float16>({ReduceOp::arg_min, configuration}, offsets, 1);
        check_segments<double, std::int8_t>({ReduceOp::mean, configuration}, offsets);
    }
}

}  // namespace
}  // namespace jitune::internal
