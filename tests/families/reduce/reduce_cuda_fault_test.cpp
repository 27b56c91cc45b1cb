// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_reduce.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/reduce.hpp"
#include "support/temp_dir.hpp"

// The whole loop of the public functions (tune, store, dispatch) over a fake driver that fails: the
// answer is right or an Error, nothing leaks, the current context is what it was, and once the
// driver works again the same session answers.

namespace jitune::internal {
namespace {

using Value = std::int32_t;

constexpr std::size_t kCount = 20'001;
constexpr int kNoContext = -1;
constexpr double kLaunchNs = 1e6;  // a sample needs two of them

CUresult run_reduce_slowly(FakeLaunch& launch) {
    launch.nanoseconds = kLaunchNs;
    return run_reduce(launch);
}

/// Tunes as little as it can.
Options options_for(TunePolicy on_miss, const std::filesystem::path& database = {}) {
    Options options;
    options.database = database;
    options.on_miss = on_miss;
    options.budget = std::chrono::milliseconds(4);
    options.log_level = LogLevel::off;
    return options;
}

/// Tunes all there is.
Options exhaustive() {
    Options options = options_for(TunePolicy::now);
    options.strategy = "exhaustive";
    options.budget = options.budget.zero();
    return options;
}

/// A process that uses jitune: a driver, the app's data, and a session.
class App {
public:
    /// The context of `device` is current, or none.
    explicit App(const Options& options, int device = kNoContext) {
        fake.on_launch = run_reduce_slowly;
        for (const int each : {0, 1}) {  // little to flush
            fake.device(each).attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 1 << 20;
        }
        std::iota(values_.begin(), values_.end(), 7);
        fake.make_current(fake.primary_context(0));
        stream_ = fake.make_stream();
        fake.make_current(nullptr);
        if (device != kNoContext) {
            fake.make_current(fake.make_context(device));
            stream_ = fake.make_stream();
        }
        context_ = fake.current();
        device_ = device == kNoContext ? 0 : device;
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake.tables(), Log(LogLevel::off)));
        session_ = SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
    }

    ~App() {
        expect_context_unchanged();
        session_.reset();
        expect_context_unchanged();
        EXPECT_EQ(fake.leaks(), std::vector<std::string>{});
        EXPECT_EQ(fake.violations(), std::vector<std::string>{});
        for (const FakeLaunch& launch : fake.launches()) {
            EXPECT_EQ(launch.device, device_) << launch.expression;
        }
    }

    Session& session() { return *session_; }
    CUstream stream() const { return stream_; }
    /// Aligned to one element only.
    const Value* values() const { return values_.data() + 1; }
    Value right() const { return std::accumulate(values_.begin() + 1, values_.end(), Value{0}); }

    Value reduce() { return tuned_reduce(values(), kCount, ReduceOp::sum, nullptr, session()); }
    Value reduce_async() {
        Value result = -1;
        tuned_reduce(values(), kCount, &result, ReduceOp::sum, stream(), session());
        return result;
    }
    Value reduce_prepared() {
        const auto prepared = prepare();
        Value result = -1;
        prepared(values(), &result, stream());
        return result;
    }
    PreparedReduce<Value> prepare() {
        return prepare_reduce<Value>(kCount, ReduceOp::sum, {}, session());
    }

    /// Of all configurations only those compile whose first expression has `part`.
    void compile_only(const std::string& part) {
        fake.on_compile = [part](const std::string& expression) -> std::optional<std::string> {
            const bool wanted = !expression.starts_with("jitune::reduce<") ||
                                expression.find(part) != std::string::npos;
            return wanted ? std::nullopt : std::optional("not now");
        };
    }

    int nvrtc_calls() const {
        int sum = 0;
        for (const auto& [function, count] : fake.all_calls()) {
            sum += function.starts_with("nvrtc") ? count : 0;
        }
        return sum;
    }

    void expect_context_unchanged() const { EXPECT_EQ(fake.current(), context_); }

    FakeCuda fake{2};

private:
    std::vector<Value> values_ = std::vector<Value>(kCount + 1);
    CUstream stream_ = nullptr;
    CUcontext context_ = nullptr;
    int device_ = 0;
    std::unique_ptr<Session> session_;
};

struct Call {
    const char* name;
    TunePolicy on_miss;
    bool stored;  ///< a winner is in the database
    Value (App::*run)();
};

constexpr Call kCalls[] = {
    {"TunedNow", TunePolicy::now, false, &App::reduce},
    {"TheDefault", TunePolicy::template_default, false, &App::reduce},
    {"Async", TunePolicy::template_default, false, &App::reduce_async},
    {"Prepared", TunePolicy::template_default, false, &App::reduce_prepared},
    {"AStoredWinner", TunePolicy::template_default, true, &App::reduce},
};

std::ostream& operator<<(std::ostream& out, const Call& call) {
    return out << call.name;
}

struct Fault {
    std::string function;
    int nth;
    int result;
    bool forever;
};

class ReduceCudaFault : public ::testing::TestWithParam<Call> {
protected:
    void SetUp() override {
        if (GetParam().stored) {
            App app(options_for(TunePolicy::now, database_));
            ASSERT_EQ(app.reduce(), app.right());
        }
    }

    Options options() const {
        return options_for(GetParam().on_miss,
                           GetParam().stored ? database_ : std::filesystem::path());
    }

    std::map<std::string, int> calls_without_a_fault(int device) const {
        App app(options(), device);
        EXPECT_EQ((app.*GetParam().run)(), app.right());
        EXPECT_EQ(app.session().counters().loads, GetParam().stored ? 1 : 0);
        EXPECT_EQ(app.session().counters().tunings, GetParam().on_miss == TunePolicy::now ? 1 : 0);
        return app.fake.all_calls();
    }

    /// The Error, if there is one.
    static std::optional<Error> expect_right_or_error(App& app) {
        try {
            EXPECT_EQ((app.*GetParam().run)(), app.right());
        } catch (const Error& error) {
            EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
            EXPECT_NE(error.kind(), ErrorKind::not_prepared) << error.what();
            return error;
        }
        return std::nullopt;
    }

    /// An Error of the driver's or of NVRTC's holds the code that the fake answered with.
    static void expect_injected(const Error& error, const Fault& fault) {
        if (error.kind() == ErrorKind::device || error.kind() == ErrorKind::unavailable) {
            const auto source = fault.function.starts_with("nvrtc") ? NativeCode::Source::nvrtc
                                                                    : NativeCode::Source::cuda;
            const NativeCode expected{source, fault.result};
            EXPECT_EQ(error.native_code(), expected) << error.what();
        }
    }

    /// False if the call was over before the fault was due, which is then left for the end.
    bool strike(const Fault& fault, int device) const {
        SCOPED_TRACE(fault.function + " call " + std::to_string(fault.nth) + " answers " +
                     std::to_string(fault.result) + (fault.forever ? " for good" : ""));
        App app(options(), device);
        app.fake.fail(fault.function, fault.nth, fault.result, fault.forever);
        const std::optional<Error> error = expect_right_or_error(app);
        app.expect_context_unchanged();
        if (app.fake.calls(fault.function) < fault.nth) {
            return false;
        }
        if (error) {
            expect_injected(*error, fault);
        }
        app.fake.mend();
        // A driver that did not start is not asked again.
        const bool unavailable = error && error->kind() == ErrorKind::unavailable;
        if (!unavailable || app.fake.calls("cuDeviceGetAttribute") > 0) {
            EXPECT_FALSE(expect_right_or_error(app).has_value());
        }
        return true;
    }

    /// Each call of each function; of the hundreds that tuning makes, the 1st, 4th, 16th …
    void strike_each_call(const std::vector<int>& errors, int device) const {
        for (const auto& [function, count] : calls_without_a_fault(device)) {
            const auto error = [&, nvrtc = function.starts_with("nvrtc")](int nth) {
                return nvrtc ? int{NVRTC_ERROR_INTERNAL_ERROR}
                             : errors[static_cast<std::size_t>(nth) % errors.size()];
            };
            strike({function, 1, error(0), true}, device);
            int nth = 1;
            while (strike({function, nth, error(nth), false}, device)) {
                nth += GetParam().on_miss == TunePolicy::now ? 3 * nth : 1;
            }
        }
    }

private:
    TempDir directory_;
    std::filesystem::path database_ = directory_.path() / "tuning.db";
};

TEST_P(ReduceCudaFault, EachDriverCallMayFailWithoutAContext) {
    strike_each_call({CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_OUT_OF_MEMORY}, kNoContext);
}

constexpr auto kName = [](const auto& row) { return std::string(row.param.name); };
INSTANTIATE_TEST_SUITE_P(Of, ReduceCudaFault, ::testing::ValuesIn(kCalls), kName);

class ReduceCudaFaultInContext : public ReduceCudaFault {};

TEST_P(ReduceCudaFaultInContext, EachDriverCallMayFailOnAnotherDevice) {
    strike_each_call({CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_INVALID_VALUE}, 1);
}

// Tuning takes longer than the others together and is the same in every context.
INSTANTIATE_TEST_SUITE_P(Of, ReduceCudaFaultInContext,
                         ::testing::ValuesIn(std::begin(kCalls) + 1, std::end(kCalls)), kName);

TEST(ReduceCuda, SumsAtEveryAlignment) {
    App app(options_for(TunePolicy::template_default));
    const std::vector<float> ones(300'004, 1);
    for (const std::size_t n : {1U, 5U, 4'099U, 300'001U}) {
        for (std::size_t offset = 0; offset < 4; ++offset) {
            EXPECT_EQ(tuned_reduce(ones.data() + offset, n, ReduceOp::sum, nullptr, app.session()),
                      static_cast<float>(n));
        }
    }
}

TEST(ReduceCuda, SumsInTwoLaunches) {
    App app(exhaustive());
    app.compile_only("two_launches");
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_EQ(app.reduce_async(), app.right());
    EXPECT_NE(app.prepare().info().configuration.find("finish=two_launches"), std::string::npos);
    EXPECT_TRUE(app.fake.launches().back().expression.starts_with("jitune::reduce_partials"));
}

TEST(ReduceCuda, AnswersFromTheDatabaseWithoutNvrtc) {
    const TempDir directory;
    const Options options = options_for(TunePolicy::now, directory.path() / "tuning.db");
    {
        App app(options);
        EXPECT_EQ(app.reduce(), app.right());
        EXPECT_EQ(app.prepare().info().origin, Origin::tuned);
        EXPECT_GT(app.nvrtc_calls(), 0);
    }
    App app(options);
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_EQ(app.prepare().info().origin, Origin::stored);
    EXPECT_EQ(app.nvrtc_calls(), 0);
    EXPECT_EQ(app.session().counters().compiles, 0);
    EXPECT_EQ(app.session().counters().tunings, 0);
}

class ReduceCudaCapture : public ::testing::Test {
protected:
    /// Expects the refusal of the asynchronous form, and a capture that goes on.
    void expect_refusal() {
        app.fake.begin_capture(app.stream());
        expect_error(ErrorKind::not_prepared, "prepare", [&] { app.reduce_async(); });
        EXPECT_TRUE(app.fake.end_capture(app.stream()));
        EXPECT_TRUE(app.fake.captured().empty());
    }

    App app{options_for(TunePolicy::now), 1};
};

TEST_F(ReduceCudaCapture, RefusesAFirstCall) {
    expect_refusal();
    for (const char* slow : {"cuMemAlloc", "cuLibraryLoadData", "cuStreamCreate"}) {
        EXPECT_EQ(app.fake.calls(slow), 0) << slow;
    }
    EXPECT_EQ(app.nvrtc_calls(), 0);
    EXPECT_EQ(app.reduce_async(), app.right());
}

TEST_F(ReduceCudaCapture, RefusesACallThatWouldOnlyAllocate) {
    EXPECT_EQ(app.reduce(), app.right());
    expect_refusal();
    const std::set<std::string> questions{"cuStreamIsCapturing", "cuStreamGetCtx",
                                          "cuCtxPushCurrent", "cuCtxGetDevice", "cuCtxPopCurrent"};
    for (const std::string& call : app.fake.calls_during_capture()) {
        EXPECT_TRUE(questions.contains(call)) << call;
    }
}

TEST_F(ReduceCudaCapture, TakesAPreparedCallThatIsReplayed) {
    const auto prepared = app.prepare();
    Value result = -1;
    app.fake.begin_capture(app.stream());
    prepared(app.values(), &result, app.stream());
    EXPECT_TRUE(app.fake.end_capture(app.stream()));
    EXPECT_EQ(app.fake.calls_during_capture(), (std::vector<std::string>{"cuLaunchKernelEx"}));
    for (int replay = 0; replay < 2; ++replay) {
        result = -1;
        for (const FakeLaunch& launch : app.fake.captured()) {
            EXPECT_EQ(run_reduce(launch), CUDA_SUCCESS);
        }
        EXPECT_EQ(result, app.right());
    }
}

/// Wrong in another way with each block size but the largest, which takes the longest.
CUresult run_reduce_with_flaws(FakeLaunch& launch) {
    const bool partials = launch.expression.starts_with("jitune::reduce_partials");
    const std::vector<std::uint64_t> given = launch.arguments;
    if (!partials && launch.block.x == 128) {  // forgets the last of an odd number of elements
        launch.arguments[1] -= given[1] % 2;
    } else if (!partials && launch.block.x == 256) {  // starts at an aligned address
        launch.arguments[0] -= given[0] % 16;
    }
    const CUresult result = run_reduce(launch);
    if (!partials && launch.block.x == 512 &&
        launch.expression.find("ticket") == std::string::npos) {
        *reinterpret_cast<unsigned*>(given[3]) = 1;  // leaves a ticket
    } else if (launch.block.x == 512) {              // writes behind its result
        reinterpret_cast<Value*>(given.back())[1] = 0;
    }
    launch.nanoseconds = kLaunchNs * (launch.block.x == 1024 ? 2 : 1);
    return result;
}

TEST(ReduceCuda, NeverDispatchesAWrongKernelHoweverFast) {
    App app(exhaustive());
    app.compile_only(", 16, 16,");
    app.fake.on_launch = run_reduce_with_flaws;
    EXPECT_EQ(app.reduce(), app.right());
    EXPECT_TRUE(app.prepare().info().configuration.starts_with("block=1024 "));
}

TEST(ReduceCuda, IsAnErrorIfEveryKernelIsWrong) {
    App app(options_for(TunePolicy::now));
    app.fake.on_launch = [](FakeLaunch&) { return CUDA_SUCCESS; };  // writes nothing
    expect_error(ErrorKind::verify, "wrong_result", [&] { app.reduce(); });
    expect_error(ErrorKind::verify, "wrong_result", [&] { app.reduce_async(); });
    app.fake.on_launch = run_reduce_slowly;
    EXPECT_EQ(app.reduce(), app.right());
}

TEST(ReduceCuda, SaysWithEveryCallThatACandidateTookTheDeviceDown) {
    App app(exhaustive());
    app.compile_only(", 16, 16,");
    app.fake.on_launch = [](FakeLaunch& launch) {
        return launch.block.x == 512 ? CUDA_ERROR_ILLEGAL_ADDRESS : run_reduce_slowly(launch);
    };
    expect_error(ErrorKind::device, "took the device down", [&] { app.reduce(); });
    const char* const later = "the CUDA context is lost";
    expect_error(ErrorKind::device, later, [&] { app.reduce(); });
    expect_error(ErrorKind::device, later, [&] { app.reduce_async(); });
    expect_error(ErrorKind::device, later, [&] { app.prepare(); });
}

}  // namespace
}  // namespace jitune::internal
