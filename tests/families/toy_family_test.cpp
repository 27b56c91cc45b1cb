// SPDX-License-Identifier: Apache-2.0
// A family of kernels in one file, as a new one would be added: its template, its workload, its
// kernel and spec, its call and its row. Nothing else in jitune knows it. A real family is several
// files in src/families/<name> and edits three that exist: families/families.cpp (its row),
// families/CMakeLists.txt (its layer) and include/jitune/jitune.hpp (its public header).

#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "dispatch/answer/call.hpp"
#include "dispatch/answer/call_check.hpp"
#include "dispatch/answer/prepared_launch.hpp"
#include "dispatch/session_access.hpp"
#include "fixtures/engine_fixture.hpp"
#include "fixtures/expect_error.hpp"
#include "spread/machine.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kTemplate = R"toml(/* jitune template
kernel = "toy"
backend = "cuda"
sizes = ["n"]

[parameters]
block = { values = [32, 64, 128], default = 64 }

[arguments]
input = { access = "in", type = "int32", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
output = { access = "out", type = "int32", count = "n" }

[[launch]]
entry = "toy::twice"
template = ["block"]
arguments = ["input", "n", "output"]
block = "block"
grid = "ceil_div(n, block)"
*/
)toml";

/// The work of the compiled template, for the fake device.
void twice(const Launch& launch) {
    const auto* const input = reinterpret_cast<const std::int32_t*>(launch.cells[0]);
    auto* const output = reinterpret_cast<std::int32_t*>(launch.cells[2]);
    for (std::uint64_t i = 0; i < launch.cells[1]; ++i) {
        output[i] = 2 * input[i];
    }
}

class ToyWorkload final : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem&) const override { return {make_case(7)}; }
    [[nodiscard]] Case timed(const Problem& problem) const override {
        return make_case(problem.sizes[0]);
    }

private:
    static Case make_case(std::int64_t n) {
        std::vector<std::int32_t> values(static_cast<std::size_t>(n));
        std::iota(values.begin(), values.end(), 1);
        const auto* const first = reinterpret_cast<const std::byte*>(values.data());
        const std::size_t bytes = values.size() * sizeof(std::int32_t);
        Case result;
        result.name = fmt::format("n={}", n);
        result.sizes = {n};
        result.arguments = {{std::make_shared<const Bytes>(first, first + bytes), bytes, 0},
                            CaseArgument::output(bytes)};
        result.judge = [values](std::span<const Bytes> outputs) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                std::int32_t got = 0;
                std::memcpy(&got, outputs[0].data() + i * sizeof got, sizeof got);
                if (got != 2 * values[i]) {
                    return fmt::format("got {} at {}, expected {}", got, i, 2 * values[i]);
                }
            }
            return std::string();
        };
        return result;
    }
};

Kernel toy_kernel_of(std::span<const std::string> spec) {
    if (spec.size() != 1) {
        throw Error(ErrorKind::usage, "cannot build a toy kernel: malformed worker spec");
    }
    return {KernelTemplate({"toy.cu", kTemplate, {}}), std::make_unique<ToyWorkload>(), {"toy"}};
}

constexpr std::array kFamilies{Family{"toy", toy_kernel_of}};

class ToyCall {
public:
    static constexpr const char* kFirstCall = "the first tuned_toy of a problem";

    ToyCall(const Kernel& kernel, std::int64_t n, const std::int32_t* in, std::int32_t* out)
        : kernel_(kernel), n_(n), arguments_{const_cast<std::int32_t*>(in), out} {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        return {site.serial(), {&kTag, 0, 0}, {n_, 0, 0}};
    }
    [[nodiscard]] DispatchKey table_key(const Device& device) const {
        return {&device, {&kTag, 0, 0}, size_bucket(sizes())};
    }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return {&n_, 1}; }
    [[nodiscard]] const std::array<void*, 2>& arguments() const { return arguments_; }
    const Resolved& answer(Engine& engine, const DispatchKey& key, Device& device) const {
        return engine.resolve(key, {device, kernel_, {"toy", {}, {n_}, 4}});
    }

private:
    static constexpr KernelTag kTag{};
    const Kernel& kernel_;
    std::int64_t n_;
    std::array<void*, 2> arguments_;
};

class ToyFamily : public EngineFixture {
protected:
    ToyFamily() { device_.kernel = twice; }

    std::unique_ptr<Engine> make_toy_engine() {
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(
            std::make_unique<FakePlatform>(PlatformKind::cuda, std::vector<FakeDevice*>{&device_}));
        return std::make_unique<Engine>(options_, std::move(platforms), kFamilies);
    }

    /// Stands for the public function of the family.
    void tuned_toy(Engine& engine, std::span<const std::int32_t> in, std::int32_t* out) {
        engine.refuse_fork();
        refuse_bad_pointer("toy", "the output", out, sizeof *out);
        const auto n = static_cast<std::int64_t>(in.size());
        launch(engine, engine.cuda().site(nullptr), ToyCall(kernel_of_toy_, n, in.data(), out),
               nullptr);
    }

    void expect_right(Engine& engine) {
        std::int32_t out[5] = {};
        tuned_toy(engine, values_, out);
        EXPECT_EQ(std::vector(out, out + 5), (std::vector<std::int32_t>{2, 4, 6, 8, 10}));
    }

    const std::vector<std::int32_t> values_{1, 2, 3, 4, 5};
    const Kernel kernel_of_toy_ = make_kernel(kFamilies, std::vector<std::string>{"toy"});
};

TEST_F(ToyFamily, IsTunedOnceAndThenOnlyLaunches) {
    const auto engine = make_toy_engine();
    expect_right(*engine);
    EXPECT_EQ(engine->counters().tunings, 1);
    const int compiles = device_.compiles();
    expect_right(*engine);
    EXPECT_EQ(engine->counters().tunings, 1);
    EXPECT_EQ(device_.compiles(), compiles);
}

TEST_F(ToyFamily, IsServedFromTheDatabaseWithoutCompiling) {
    expect_right(*make_toy_engine());
    const int compiles = device_.compiles();
    const auto later = make_toy_engine();
    const ToyCall call(kernel_of_toy_, 5, nullptr, nullptr);
    EXPECT_EQ(internal::resolve(*later, device_, call).info.origin, Origin::stored);
    EXPECT_EQ(later->counters().loads, 1);
    EXPECT_EQ(device_.compiles(), compiles);
}

TEST_F(ToyFamily, HasPreparedHandlesThatSayWhatAnswers) {
    const auto engine = make_toy_engine();
    const PreparedLaunch prepared(*engine, device_, ToyCall(kernel_of_toy_, 5, nullptr, nullptr));
    EXPECT_EQ(prepared.info().origin, Origin::tuned);
    std::int32_t out[5] = {};
    void* const arguments[] = {const_cast<std::int32_t*>(values_.data()), out};
    ASSERT_TRUE(prepared.has_work());
    prepared(arguments, nullptr);
    EXPECT_EQ(out[4], 10);
    expect_right(*engine);
    EXPECT_EQ(engine->counters().tunings, 1) << "the call has the handle's answer";
}

TEST_F(ToyFamily, IsBuiltAgainFromItsSpecAsWorkersDo) {
    const Kernel again = make_kernel(kFamilies, kernel_of_toy_.spec);
    EXPECT_EQ(again.spec, kernel_of_toy_.spec);
    EXPECT_EQ(again.kernel_template.hash(), kernel_of_toy_.kernel_template.hash());
    expect_error(ErrorKind::usage, "malformed worker spec", [] {
        return make_kernel(kFamilies, std::vector<std::string>{"toy", "more"});
    });
    expect_error(ErrorKind::usage, "no such family",
                 [] { return make_kernel(kFamilies, std::vector<std::string>{"reduce"}); });
}

TEST_F(ToyFamily, StaysOnTheHostWithHostDataSinceItHasNoPlacements) {
    FakeDevice host("host");
    options_.device = "auto";
    std::vector<std::unique_ptr<Platform>> platforms;
    platforms.push_back(
        std::make_unique<FakePlatform>(PlatformKind::cuda, std::vector<FakeDevice*>{&device_}));
    platforms.push_back(
        std::make_unique<FakePlatform>(PlatformKind::host, std::vector<FakeDevice*>{&host}));
    Engine engine(options_, std::move(platforms), kFamilies);
    EXPECT_EQ(host_data_site(engine, "toy"), &host.site());
}

}  // namespace
}  // namespace jitune::internal
