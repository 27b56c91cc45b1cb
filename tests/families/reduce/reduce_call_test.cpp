// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_call.hpp"

#include <bit>
#include <functional>
#include <limits>
#include <vector>

#include "fake/fake_device.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using detail::ReduceData;
using detail::ReduceRequest;
using detail::ReduceShape;

constexpr std::size_t kMostElements = std::size_t{1} << 40;

ReduceRequest request_for(const ReduceShape& shape, const Reduction& reduction = {}) {
    return {ElementType::float32, ElementType::float32, reduction, shape};
}

std::vector<std::int64_t> sizes_of(const ReduceShape& shape) {
    const ReduceSizes sizes(shape);
    return {sizes.span().begin(), sizes.span().end()};
}

using Sizes = std::vector<std::int64_t>;

TEST(ReduceSizes, AreThoseOfTheShapesTemplate) {
    EXPECT_EQ(sizes_of(ReduceShape::all(5)), (Sizes{5}));
    EXPECT_EQ(sizes_of(ReduceShape::rows(3, 4)), (Sizes{3, 4}));
    EXPECT_EQ(sizes_of(ReduceShape::columns(3, 4)), (Sizes{3, 4}));
    EXPECT_EQ(sizes_of(ReduceShape::segments(7, 100)), (Sizes{7, 100}));
}

TEST(ReduceSizes, AreAsManyAsTheTemplateNames) {
    for (const ReduceShape& shape : {ReduceShape::all(5), ReduceShape::rows(3, 4),
                                     ReduceShape::columns(3, 4), ReduceShape::segments(7, 100)}) {
        for (const PlatformKind platform : {PlatformKind::cuda, PlatformKind::host}) {
            const auto& front = reduce_kernel(shape.kind, platform).kernel_template.front_matter();
            EXPECT_EQ(front.sizes.size(), sizes_of(shape).size()) << front.kernel;
            EXPECT_EQ(reduce_problem(request_for(shape)).sizes, sizes_of(shape)) << front.kernel;
        }
    }
}

TEST(ReduceArrays, AreValuesOffsetsAndResults) {
    float values = 0;
    float results = 0;
    const std::int64_t offsets = 0;
    const auto arrays = [](const ReduceData& data) {
        const ReduceArrays made(data);
        return std::vector<void*>(made.span().begin(), made.span().end());
    };
    EXPECT_EQ(arrays({&values, nullptr, &results}), (std::vector<void*>{&values, &results}));
    EXPECT_EQ(arrays({&values, &offsets, &results}),
              (std::vector<void*>{&values, const_cast<std::int64_t*>(&offsets), &results}));
}

TEST(ReduceShape, HasAResultForEachRowColumnAndSegment) {
    EXPECT_EQ(result_count(ReduceShape::all(5)), 1U);
    EXPECT_EQ(result_count(ReduceShape::rows(3, 4)), 3U);
    EXPECT_EQ(result_count(ReduceShape::columns(3, 4)), 4U);
    EXPECT_EQ(result_count(ReduceShape::segments(7, 100)), 7U);
}

TEST(ReduceShape, IsEmptyWhereNothingIsCombined) {
    EXPECT_TRUE(is_empty(ReduceShape::all(0)));
    EXPECT_FALSE(is_empty(ReduceShape::all(1)));
    EXPECT_TRUE(is_empty(ReduceShape::rows(3, 0)));
    EXPECT_TRUE(is_empty(ReduceShape::columns(0, 4)));
    EXPECT_TRUE(is_empty(ReduceShape::segments(7, 0)));
}

TEST(ReduceShape, IsRefusedBeyondTwoToTheFortyElements) {
    for (const ReduceShape& legal :
         {ReduceShape::all(0), ReduceShape::all(kMostElements), ReduceShape::rows(1, kMostElements),
          ReduceShape::rows(kMostElements, 1), ReduceShape::columns(1 << 20, 1 << 20),
          ReduceShape::segments(kMostElements, kMostElements)}) {
        EXPECT_NO_THROW(refuse_bad_shape(legal));
    }
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
    for (const ReduceShape& large :
         {ReduceShape::all(kMostElements + 1), ReduceShape::all(kHuge),
          ReduceShape::rows(2, kMostElements), ReduceShape::rows(kMostElements, 2),
          ReduceShape::rows(kHuge, kHuge), ReduceShape::columns(1 << 20, (1 << 20) + 1),
          ReduceShape::columns(kHuge, 0), ReduceShape::segments(kMostElements + 1, 1),
          ReduceShape::segments(1, kMostElements + 1)}) {
        expect_error(ErrorKind::usage, "at most 2^40", [&] { refuse_bad_shape(large); });
    }
}

TEST(ReduceShape, IsRefusedWithNegativeCounts) {
    for (const ReduceShape& negative :
         {ReduceShape::all(-1), ReduceShape::rows(-1, 0), ReduceShape::rows(0, -1),
          ReduceShape::columns(-3, -3), ReduceShape::segments(-1, 10),
          ReduceShape::segments(1, -10)}) {
        expect_error(ErrorKind::usage, "counts must not be negative",
                     [&] { refuse_bad_shape(negative); });
    }
}

class ReduceDataCheck : public testing::Test {
protected:
    void refuse(const ReduceShape& shape, const ReduceData& data, const std::string& words) {
        expect_error(ErrorKind::usage, words, [&] { refuse_bad_data(request_for(shape), data); });
    }
    static void* moved(void* pointer, std::size_t bytes) {
        return static_cast<std::byte*>(pointer) + bytes;
    }

    alignas(8) float values_[4] = {};
    alignas(8) float results_[4] = {};
    std::int64_t offsets_[2] = {0, 4};
};

TEST_F(ReduceDataCheck, TakesPointersWithTheAlignmentOfTheirElement) {
    const ReduceRequest request = request_for(ReduceShape::all(3));
    EXPECT_NO_THROW(refuse_bad_data(request, {moved(values_, 4), nullptr, moved(results_, 4)}));
    EXPECT_NO_THROW(
        refuse_bad_data(request_for(ReduceShape::segments(1, 4)), {values_, offsets_, results_}));
}

TEST_F(ReduceDataCheck, RefusesNullPointers) {
    refuse(ReduceShape::all(3), {nullptr, nullptr, results_}, "the input is a null pointer");
    refuse(ReduceShape::all(3), {values_, nullptr, nullptr}, "the result is a null pointer");
    refuse(ReduceShape::segments(1, 4), {values_, nullptr, results_},
           "the array of offsets is a null pointer");
}

TEST_F(ReduceDataCheck, RefusesMisalignedPointers) {
    refuse(ReduceShape::all(3), {moved(values_, 2), nullptr, results_},
           "the input is not aligned to 4 bytes");
    refuse(ReduceShape::all(3), {values_, nullptr, moved(results_, 1)},
           "the result is not aligned to 4 bytes");
    const auto* offsets = static_cast<const std::int64_t*>(moved(offsets_, 4));
    refuse(ReduceShape::segments(1, 4), {values_, offsets, results_},
           "the array of offsets is not aligned to 8 bytes");
}

TEST(ReduceNothing, HasTheOperationsValue) {
    const auto nothing = [](ReduceOp op, ElementType result, const ReduceShape& shape) {
        return std::bit_cast<std::int64_t>(nothing_of({ElementType::int64, result, op, shape}));
    };
    const ReduceShape all = ReduceShape::all(0);
    EXPECT_EQ(nothing(ReduceOp::sum, ElementType::int64, all), 0);
    EXPECT_EQ(nothing(ReduceOp::product, ElementType::int64, all), 1);
    EXPECT_EQ(nothing(ReduceOp::min, ElementType::int64, all),
              std::numeric_limits<std::int64_t>::max());
    expect_error(ErrorKind::usage, "arg_min of no elements",
                 [&] { nothing(ReduceOp::arg_min, ElementType::int64, all); });
    EXPECT_EQ(nothing(ReduceOp::arg_min, ElementType::int64, ReduceShape::segments(3, 0)), -1);
    expect_error(ErrorKind::usage, "sum of int64 gives int64",
                 [&] { nothing(ReduceOp::sum, ElementType::int32, all); });
}

TEST(ReduceNothing, IsWrittenOncePerResult) {
    FakeDevice device;
    std::vector<float> results{1, 2, 3, 4};
    write_nothing(device, request_for(ReduceShape::rows(3, 0), ReduceOp::product), results.data(),
                  nullptr);
    EXPECT_EQ(results, (std::vector<float>{1, 1, 1, 4}));
    write_nothing(device, request_for(ReduceShape::columns(0, 2)), results.data(), nullptr);
    EXPECT_EQ(results, (std::vector<float>{0, 0, 1, 4}));
}

class ReduceKey : public testing::Test {
protected:
    DispatchKey key(const ReduceRequest& request) const {
        return ReduceCall(request).table_key(device_);
    }
    DispatchKey key(const Reduction& reduction) const {
        return key(request_for(ReduceShape::all(1000), reduction));
    }

    FakeDevice device_;
    FakeDevice other_backend_;
};

TEST_F(ReduceKey, IsTheSameForEqualRequests) {
    const std::string text = "block=256";
    const std::string same_text = text;
    EXPECT_EQ(key({ReduceOp::sum, text}), key({ReduceOp::sum, same_text}));
    const CustomOperation operation = indexed_xor();
    const CustomOperation same_operation = indexed_xor();
    EXPECT_EQ(key(Reduction(operation)), key(Reduction(same_operation)));
    EXPECT_EQ(key(request_for(ReduceShape::all(1000))), key(request_for(ReduceShape::all(1001))));
}

TEST_F(ReduceKey, IsAnotherOneForEachPartOfTheRequest) {
    const CustomOperation sum = log_sum_exp("__expf", "__logf");
    const CustomOperation parity = indexed_xor();
    CustomOperation changed = parity;
    changed.finish = "a";
    const ReduceShape all = ReduceShape::all(1 << 20);
    const std::vector<DispatchKey> keys{
        key(request_for(all)),
        ReduceCall(request_for(all)).table_key(other_backend_),
        key({ElementType::float16, ElementType::float32, ReduceOp::sum, all}),
        key({ElementType::float32, ElementType::float64, ReduceOp::sum, all}),
        key(request_for(all, ReduceOp::max)),
        key(request_for(all, {ReduceOp::sum, Determinism::any})),
        key(request_for(all, {ReduceOp::sum, "block=256"})),
        key(request_for(all, {ReduceOp::sum, "block=128"})),
        key(request_for(all, sum)),
        key(request_for(all, parity)),
        key(request_for(all, changed)),
        key(request_for(all, {parity, Determinism::any})),
        key(request_for(ReduceShape::all(1 << 22))),
        key(request_for(ReduceShape::rows(1, 1 << 20))),
        key(request_for(ReduceShape::rows(1 << 20, 1))),
        key(request_for(ReduceShape::columns(1, 1 << 20))),
        key(request_for(ReduceShape::segments(1, 1 << 20))),
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_FALSE(keys[i] == keys[j]) << i << " and " << j;
        }
    }
}

TEST(ReduceProblem, NamesItsKernelTypesAndPinnedConfiguration) {
    const Problem problem = reduce_problem({ElementType::int8,
                                            ElementType::float64,
                                            {ReduceOp::mean, "block=256"},
                                            ReduceShape::all(1000)});
    EXPECT_EQ(problem.kernel, "reduce");
    EXPECT_EQ(types_text(problem),
              "accumulator=int64 determinism=run_to_run element=int8 operation=mean "
              "result=float64");
    EXPECT_EQ(problem.alignment, 1);
    EXPECT_EQ(problem.pinned, "block=256");

    const CustomOperation operation = indexed_xor();
    const Problem custom = reduce_problem({ElementType::int8,
                                           ElementType::uint64,
                                           {operation, Determinism::any},
                                           ReduceShape::rows(3, 4)});
    EXPECT_EQ(custom.kernel, "reduce_rows:indexed_xor");
    EXPECT_EQ(custom.types.at("determinism"), "any");
    EXPECT_EQ(custom.types.at("operation"), "custom");
}

TEST(ReduceProblem, RefusesAResultThatTheOperationDoesNotHave) {
    expect_error(ErrorKind::usage, "ask for tuned_reduce<std::int64_t>", [] {
        reduce_problem(
            {ElementType::float32, ElementType::float32, ReduceOp::arg_min, ReduceShape::all(10)});
    });
}

}  // namespace
}  // namespace jitune::internal
