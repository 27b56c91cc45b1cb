// SPDX-License-Identifier: Apache-2.0
// What public calls say about bad arguments, and in which order they look at them.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "dispatch/session_access.hpp"
#include "fake/fake_device.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/jitune.hpp"

namespace jitune::internal {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

/// A session on a machine without a GPU. Its host is a fake, too.
class ReduceArguments : public testing::Test {
protected:
    ReduceArguments() : session_(make_session({})) {}

    std::unique_ptr<Session> make_session(const std::vector<FakeDevice*>& gpus) {
        Options options;
        options.database.clear();
        options.log_level = LogLevel::off;
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(std::make_unique<FakePlatform>(PlatformKind::cuda, gpus));
        platforms.push_back(
            std::make_unique<FakePlatform>(PlatformKind::host, std::vector<FakeDevice*>{&host_}));
        return SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
    }

    FakeDevice host_{"host"};
    std::unique_ptr<Session> session_;
    alignas(16) std::array<float, 64> values_{};
    const std::vector<float> none_;
};

TEST_F(ReduceArguments, AreLookedAtBeforeTheDevice) {
    float result = 0;
    const auto one = [&](std::int64_t n, const float* in, float* out) {
        return [=, this] { tuned_reduce(in, n, out, {}, nullptr, *session_); };
    };
    expect_error(ErrorKind::usage, "must not be negative", one(-1000, values_.data(), &result));
    expect_error(ErrorKind::usage, "null pointer", one(8, nullptr, &result));
    expect_error(ErrorKind::usage, "overlap", one(8, values_.data(), values_.data()));
    expect_error(ErrorKind::usage, "must not be negative",
                 [&] { return tuned_reduce(values_.data(), -1000, {}, nullptr, *session_); });
}

TEST_F(ReduceArguments, OfHostMemoryAreToComeAsASpan) {
    constexpr const char* kAdvice = "pass a span for host memory";
    const float* const in = values_.data();
    std::array<float, 64> out{};
    float result = 0;
    expect_error(ErrorKind::unavailable, kAdvice,
                 [&] { tuned_reduce(in, 8, &result, {}, nullptr, *session_); });
    expect_error(ErrorKind::unavailable, kAdvice,
                 [&] { return tuned_reduce(in, 8, {}, nullptr, *session_); });
    expect_error(ErrorKind::unavailable, kAdvice,
                 [&] { tuned_stencil(in, 8, out.data(), {}, nullptr, *session_); });
    expect_error(ErrorKind::unavailable, kAdvice, [&] {
        tuned_entropy(reinterpret_cast<const std::uint8_t*>(in), 2, 2, out.data(), {}, nullptr,
                      *session_);
    });
}

TEST_F(ReduceArguments, AreCheckedBeforeResultsAreAllocated) {
    for (const ReduceOp op : {ReduceOp::arg_min, ReduceOp::arg_max}) {
        expect_error(ErrorKind::usage, to_string(op).data(), [&] {
            return tuned_reduce_rows<std::int64_t>(none_, kMost, 0, op, *session_);
        });
        expect_error(ErrorKind::usage, to_string(op).data(), [&] {
            return tuned_reduce_columns<std::int64_t>(none_, 0, kMost, op, *session_);
        });
    }
}

TEST_F(ReduceArguments, ResultsWithoutMemoryAreUnavailable) {
    expect_error(ErrorKind::unavailable, "there is no memory for 4611686018427387904 results",
                 [] { return detail::new_results<double>("reduce", std::int64_t{1} << 62); });
}

TEST_F(ReduceArguments, MayNotOverlapInAPreparedCall) {
    using detail::ReduceData;
    using detail::ReduceShape;
    const auto refused = [&](const ReduceShape& shape, const ReduceData& data) {
        const detail::ReduceRequest request = detail::request<float, float>({}, shape);
        expect_error(ErrorKind::usage, "the results overlap the values or the offsets",
                     [&] { detail::reduce_host(*session_, request, data); });
        expect_error(ErrorKind::usage, "the results overlap the values or the offsets",
                     [&] { detail::reduce_device_async(*session_, request, data, nullptr); });
    };
    float* const all = values_.data();
    refused(ReduceShape::all(8), {all, nullptr, all + 7});
    refused(ReduceShape::rows(4, 3), {all + 3, nullptr, all});
    refused(ReduceShape::columns(3, 4), {all, nullptr, all + 11});
    std::array<std::int64_t, 3> offsets{0, 2, 4};
    refused(ReduceShape::segments(2, 4), {all, offsets.data(), all + 3});
    refused(ReduceShape::segments(2, 4), {all, offsets.data(), offsets.data() + 2});
}

TEST_F(ReduceArguments, HaveOneMeaningOfTheDeviceAuto) {
    FakeDevice gpu("cuda:0");
    const auto with_gpu = make_session({&gpu});
    EXPECT_EQ(prepare_reduce<float>(0, {}, "auto", *with_gpu).info().device, "host");
    EXPECT_EQ(prepare_stencil<float>(2, {}, "auto", *with_gpu).info().device, "machine");
    EXPECT_EQ(prepare_entropy<std::uint8_t>(0, 5, {}, "auto", *with_gpu).info().device, "machine");
    EXPECT_EQ(prepare_reduce<float>(0, {}, "auto", *session_).info().device, "host");
    EXPECT_EQ(prepare_stencil<float>(2, {}, "auto", *session_).info().device, "host");
}

TEST(StencilOutputs, AreNoneForANegativeCount) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    static_assert(stencil_outputs(kLeast, {.radius = 32}) == 0);
    static_assert(stencil_outputs(-1, {.radius = 1, .boundary = Boundary::wrap}) == 0);
    static_assert(stencil_outputs(10, {.radius = 2}) == 6);
}

}  // namespace
}  // namespace jitune::internal
