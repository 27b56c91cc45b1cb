// SPDX-License-Identifier: Apache-2.0
#include "fixtures/front_matter_lines.hpp"

namespace jitune::internal {
namespace {

TEST(LaunchReader, ReadsEachKindOfReference) {
    const auto reference = [](const std::string& lines) {
        return parse(with_line(27, "block = \"block\"\n[reference]\n" + lines)).reference.value();
    };
    using Kind = ReferenceSpec::Kind;
    EXPECT_EQ(reference("default = true").kind, Kind::standard);
    EXPECT_EQ(reference("npy = {}").kind, Kind::files);
    const ReferenceSpec host = reference("host = \"plainly\"\narguments = [\"values\", \"n\"]");
    EXPECT_EQ(host.kind, Kind::host);
    EXPECT_EQ(host.launch.entry, "plainly");
    expect_error(ErrorKind::usage, "which is not an output",
                 [&] { reference("npy = { values = \"a.npy\" }"); });
    expect_error(ErrorKind::usage, "unknown key",
                 [&] { reference("default = true\nentry = \"f\""); });
}

TEST(LaunchReader, ReadsAReferenceLaunch) {
    EXPECT_FALSE(parse(text_of(kLines)).reference);
    const std::string reference =
        "block = \"block\"\n[reference]\nentry = \"fake::plainly\"\ntemplate = [\"element\"]\n"
        "arguments = [\"values\"]\nblock = \"1024\"";
    const FrontMatter front = parse(with_line(27, reference));
    ASSERT_TRUE(front.reference);
    EXPECT_EQ(front.reference->launch.entry, "fake::plainly");
    EXPECT_EQ(front.reference->launch.arguments, std::vector<std::string>{"values"});
    EXPECT_EQ(front.reference->launch.block[0].constant_value(), Scalar(std::int64_t{1024}));
    EXPECT_EQ(front.launches.size(), 1U);
    expect_error(ErrorKind::usage, "launch needs entry",
                 [] { parse(with_line(27, "block = \"block\"\n[reference]\nblock = \"1\"")); });
}

TEST(LaunchReader, RefusesLaunchesThatNameWhatIsNotThere) {
    expect_refused_at(22, "template of launch names \"tile\"",
                      with_line(24, "template = [\"tile\"]"));
    expect_refused_at(22, "arguments of launch names \"tile\"",
                      with_line(25, "arguments = [\"tile\"]"));
    expect_refused_at(22, "grid of launch must be one to three",
                      with_line(26, "grid = [\"1\", \"1\", \"1\", \"1\"]"));
    expect_refused_at(22, "block of launch must be one to three", with_line(27, "block = []"));
    expect_line_refused(27, "block = 64", "block of launch must be a list of texts");
    expect_error(ErrorKind::usage, "one to 4 tables [[launch]]", [] {
        const std::string launch = "[[launch]]\nentry = \"f\"\n";
        parse(with_line(22, launch + launch + launch + launch + "[[launch]]"));
    });
}

}  // namespace
}  // namespace jitune::internal
