// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/await_tunings.hpp"
#include "fixtures/reduce_cuda_app.hpp"
#include "support/temp_dir.hpp"

// The whole loop of the public functions (tune, store, dispatch) over a fake driver that fails: the
// answer is right or an Error, nothing leaks, the current context is what it was, and once the
// driver works again the same session answers.

namespace jitune::internal {
namespace {

using reduce_cuda::App;
using reduce_cuda::kNoContext;
using reduce_cuda::options_for;
using reduce_cuda::Value;

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
            await_tunings(app.session());
        }
    }

    Options options() const {
        return options_for(GetParam().on_miss,
                           GetParam().stored ? database_ : std::filesystem::path());
    }

    std::map<std::string, int> calls_without_a_fault(int device) const {
        App app(options(), device);
        EXPECT_EQ((app.*GetParam().run)(), app.right());
        await_tunings(app.session());
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

}  // namespace
}  // namespace jitune::internal
