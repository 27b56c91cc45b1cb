// SPDX-License-Identifier: Apache-2.0
// A real launch of a kernel, written to files and tuned on.
#include "families/own/call_capture.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "families/own/npy.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/tuned_kernel.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

const char* const kAdd = R"(/* jitune template
kernel = "add"
backend = "host"
sizes = ["n"]
[types.element]
float32 = "float"
bfloat16 = "unsigned short"
[parameters]
unroll = { values = [1, 2], default = 1 }
[arguments]
from = { access = "in", type = "int32", count = "n" }
shift = { access = "value", type = "int32", value = "1" }
other = { access = "in", type = "element", count = "2" }
sum = { access = "inout", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "add"
template = ["unroll"]
arguments = ["sum", "from", "shift", "n"]
[reference]
host = "add_plainly"
arguments = ["sum", "from", "shift", "n"]
*/
template <int kUnroll> void add(int* sum, const int* from, int shift, long n) {
    for (long i = 0; i < n; ++i) sum[i] += from[i] + shift;
}
#ifdef JITUNE_HOST
void add_plainly(int* sum, const int* from, int shift, long n) {
    for (long i = 0; i < n; ++i) sum[i] += from[i] + shift;
}
#endif
)";

class CapturedCallTest : public testing::Test {
protected:
    void SetUp() override {
        file_ = folder_.write("add.host.cpp", kAdd);
        capture_ = folder_.path() / "capture";
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.worker = "none";
        options.log_sink = [this](LogLevel, std::string_view text) { log_ += text; };
        session_ = std::make_unique<Session>(options);
    }

    void call(const TunedKernel& add, std::int32_t first = 10) {
        const std::vector<std::int32_t> from{1, 2, 3};
        sum_ = {first, 20, 30};
        const float other[2] = {0.5F, 1};
        add.launch({3},
                   {from.data(), std::int32_t{5}, static_cast<const void*>(other), sum_.data()});
    }

    TunedKernel kernel(const char* element = "float32") {
        return TunedKernel(file_, {{"element", element}}, *session_);
    }

    [[nodiscard]] Kernel captured() const { return kernel_from_file(file_, {}, capture_); }

    TempDir folder_;
    std::filesystem::path file_, capture_;
    std::string log_;
    std::unique_ptr<Session> session_;
    std::vector<std::int32_t> sum_;
};

TEST_F(CapturedCallTest, HoldsWhatOneCallHadBeforeAndAfter) {
    const TunedKernel add = kernel();
    add.capture(capture_);
    call(add);
    EXPECT_EQ(sum_, (std::vector<std::int32_t>{16, 27, 38}));
    call(add, 99);
    EXPECT_EQ(sum_.front(), 105);
    const CapturedCall found = read_capture(capture_, captured().kernel_template);
    EXPECT_EQ(found.problem.sizes, Sizes{3});
    EXPECT_EQ(found.problem.types.at("element"), "float32");
    EXPECT_EQ(found.values.at("shift"), 5U);
    EXPECT_EQ(found.inputs.size(), 3U);
    const NpyFile before(capture_ / found.inputs.at("sum"));
    const NpyFile after(capture_ / found.outputs.at("sum"));
    EXPECT_EQ(*static_cast<const std::int32_t*>(before.data()), 10);
    EXPECT_EQ(*static_cast<const std::int32_t*>(after.data()), 16);
    EXPECT_EQ(found.outputs.size(), 1U);
}

TEST_F(CapturedCallTest, IsWhatCandidatesAreTimedOn) {
    kernel("bfloat16").capture(capture_);  // of a kernel that is gone
    const TunedKernel add = kernel("bfloat16");
    add.capture(capture_);
    call(add);
    Engine& engine = SessionAccess::engine(*session_);
    const auto tune = [&] {
        const Kernel one = captured();
        const Problem problem = kernel_problem(one.kernel_template, {3}, {{"element", "bfloat16"}});
        return engine.tuner().tune({engine.device("host"), one, problem}, {});
    };
    EXPECT_EQ(tune().progress.failed, 0U);
    const std::vector<std::int32_t> wrong{16, 27, 39};
    write_npy(capture_ / "out_sum.npy", ElementType::int32, std::vector<std::int64_t>{3},
              std::as_bytes(std::span(wrong)));
    expect_error(ErrorKind::verify, "the captured call", [&] { tune(); });
}

TEST_F(CapturedCallTest, IsTunedOnWithAReferenceThatIsAKernelToo) {
    std::string text = kAdd;
    const auto at = text.find("host = \"add_plainly\"");
    text.replace(at, text.find("*/") - at, "default = true\n");
    file_ = folder_.write("add.host.cpp", text);
    const TunedKernel add = kernel();
    add.capture(capture_);
    call(add);
    Engine& engine = SessionAccess::engine(*session_);
    const Kernel one = captured();
    const Problem problem = kernel_problem(one.kernel_template, {3}, {{"element", "float32"}});
    const TuneReport report = engine.tuner().tune({engine.device("host"), one, problem}, {});
    EXPECT_EQ(report.progress.failed, 0U);
    EXPECT_EQ(report.progress.evaluated, 2U);
}

TEST_F(CapturedCallTest, AWorkerReadsTheSameCapture) {
    const TunedKernel add = kernel();
    add.capture(capture_);
    call(add);
    const Kernel again = kernel_file_of(captured().spec);
    const Case timed = again.workload->timed({"add", {{"element", "float32"}}, {3}});
    EXPECT_EQ(timed.name, "the captured call");
    EXPECT_NE(again.workload->timed({"add", {{"element", "float32"}}, {4}}).name, timed.name);
}

TEST_F(CapturedCallTest, TellsWhyACallIsNotCaptured) {
    const TunedKernel add = kernel();
    add.capture(capture_, 8);
    expect_error(ErrorKind::usage, "more than the limit of 8", [&] { call(add); });
    EXPECT_FALSE(std::filesystem::exists(capture_));
    std::filesystem::create_directory(capture_);
    static_cast<void>(std::ofstream(capture_ / "file"));
    add.capture(capture_);
    expect_error(ErrorKind::usage, "the folder has files", [&] { call(add); });
    call(add);
    EXPECT_EQ(sum_.front(), 16);
}

TEST_F(CapturedCallTest, TheEnvironmentNeverStopsACall) {
    ::setenv("JITUNE_CAPTURE", "add", 1);
    ::setenv("JITUNE_CAPTURE_FOLDER", capture_.c_str(), 1);
    const TunedKernel first = kernel();
    const TunedKernel second = kernel();
    ::setenv("JITUNE_CAPTURE", "other", 1);
    const TunedKernel third = kernel();
    ::unsetenv("JITUNE_CAPTURE");
    ::unsetenv("JITUNE_CAPTURE_FOLDER");
    call(third);
    EXPECT_FALSE(std::filesystem::exists(capture_));
    call(first);
    EXPECT_TRUE(std::filesystem::exists(capture_ / kCaptureFile));
    EXPECT_EQ(log_, "");
    call(second);
    EXPECT_EQ(sum_.front(), 16);
    EXPECT_NE(log_.find("a call is not captured"), std::string::npos) << log_;
}

TEST_F(CapturedCallTest, RefusesFilesThatAreNoCapture) {
    expect_error(ErrorKind::usage, "capture.toml", [&] { static_cast<void>(captured()); });
    const TunedKernel add = kernel();
    add.capture(capture_);
    call(add);
    std::ifstream stream(capture_ / kCaptureFile);
    const std::string good{std::istreambuf_iterator<char>(stream), {}};
    const auto expect_bad = [&](const std::string& from, const std::string& to,
                                const std::string& words) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        std::ofstream(capture_ / kCaptureFile) << text;
        expect_error(ErrorKind::usage, words, [&] { static_cast<void>(captured()); });
    };
    expect_bad("jitune_capture = 1", "jitune_capture = 2", "must be 1");
    expect_bad("kernel = \"add\"", "kernel = \"sub\"", "one of kernel sub");
    expect_bad("n = 3", "m = 3", "no size \"n\"");
    expect_bad("shift = \"5\"", "shift = \"x\"", "bits of the scalar");
    expect_bad("from = ", "form = ", "from");
    for (const char* file :
         {"in_from.np", "random", "raw ", "zeros", "../in_from.npy", "raw /dev/zero"}) {
        expect_bad("in_from.npy", file, "which is neither");
    }
    expect_bad("element = \"float32\"", "element = \"int8\"", "int8");
}

}  // namespace
}  // namespace jitune::internal
