// SPDX-License-Identifier: Apache-2.0
#include "sweep/hints.hpp"

#include <string>
#include <vector>

#include "fake/fake_device.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Texts = std::vector<std::string>;

class HintsTest : public testing::Test {
protected:
    Texts hints(const Hints& hints, std::int64_t n) {
        return hints.for_task({device_, kernel_, {"k", {}, {n}, 4}});
    }

private:
    FakeDevice device_;
    const Kernel kernel_{
        KernelTemplate(
            {"k.cpp",
             "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\nsizes = [\"n\"]\n"
             "constraints = [\"block <= n\"]\n[parameters]\nmode = { type = \"Mode\", values = "
             "[\"a\", \"b\"], default = \"a\" }\nblock = { values = [1, 2, 4], default = 1 }\n"
             "[arguments]\na = { access = \"in\", type = \"int32\", count = \"n\" }\n"
             "[[launch]]\nentry = \"k\"\narguments = [\"a\"]\n*/\n",
             {}}),
        nullptr};
};

RecordedSpace recorded() {
    const auto row = [](std::int64_t block, const char* mode, std::optional<double> time_ns) {
        return RecordedSpace::Row{{block, std::string(mode)}, time_ns};
    };
    return RecordedSpace(
        {{"block", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}, 0},
         {"mode", {std::string("a"), std::string("b")}, 0}},
        {row(4, "a", 1), row(8, "a", 2), row(2, "b", 4), row(1, "a", 3), row(1, "b", {})});
}

TEST_F(HintsTest, AreTheFastestThatAreLegal) {
    const Hints all("--from t4.json", recorded());
    EXPECT_EQ(hints(all, 2), (Texts{"mode=a block=1", "mode=b block=2"}));
    EXPECT_EQ(hints(all, 4).front(), "mode=a block=4");
    EXPECT_TRUE(hints(Hints(), 4).empty());
}

TEST_F(HintsTest, RefuseResultsOfOtherParameters) {
    const Hints other("--from t4.json",
                      RecordedSpace({{"block", {std::int64_t{1}}, 0}}, {{{std::int64_t{1}}, 1.0}}));
    expect_error(ErrorKind::usage,
                 "--from t4.json: the results have the parameters block, but k.cpp has block, mode",
                 [&] { static_cast<void>(hints(other, 4)); });
}

}  // namespace
}  // namespace jitune::internal
