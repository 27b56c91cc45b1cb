// SPDX-License-Identifier: Apache-2.0
#include "families/own/template_workload.hpp"

#include <cstring>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "families/own/fill_data.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

/// Those of a kernel with one output.
std::vector<Bytes> outputs(const std::vector<float>& values) {
    const auto view = std::as_bytes(std::span(values));
    return {Bytes(view.begin(), view.end())};
}

template <class T>
std::vector<T> values(const Bytes& data) {
    std::vector<T> result(data.size() / sizeof(T));
    std::memcpy(result.data(), data.data(), data.size());
    return result;
}

class TemplateWorkloadTest : public testing::Test {
protected:
    /// A kernel of sizes w and h with more lines in its front matter and its [reference].
    Kernel kernel(const std::string& head, const std::string& fill, const std::string& reference,
                  const std::string& code = "") {
        return kernel_from_text(
            "grow.cu",
            fmt::format(
                "/* jitune template\nkernel = \"grow\"\nbackend = "
                "\"cuda\"\nsizes = [\"w\", \"h\"]\n{}\n"
                "[parameters]\nblock = {{ values = [32], default = 32 }}\n"
                "[arguments]\n"
                "a = {{ access = \"in\", type = \"float32\", count = \"w * h\"{} }}\n"
                "c = {{ access = \"out\", type = \"float32\", count = \"w\", tolerance = 0.01 }}\n"
                "[[launch]]\nentry = \"grow\"\narguments = [\"a\", \"c\"]\n"
                "[reference]\n{}\n*/\n{}",
                head, fill, reference, code),
            dir_.path());
    }
    static Problem problem(const Kernel& kernel, std::int64_t w, std::int64_t h) {
        return kernel_problem(kernel.kernel_template, {w, h}, {});
    }
    void write_npy(const std::string& name, const std::vector<float>& data) const {
        std::string header = fmt::format(
            "{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", data.size());
        header.resize(118, ' ');
        std::ofstream file(dir_.path() / name, std::ios::binary);
        file.write("\x93NUMPY\x01\0\x76\0", 10) << header;
        file.write(reinterpret_cast<const char*>(data.data()),
                   static_cast<std::streamsize>(data.size() * sizeof(float)));
    }

    TempDir dir_;
    const std::string plain_ = "entry = \"grow\"\narguments = [\"a\", \"c\"]";
};

TEST_F(TemplateWorkloadTest, ChecksSmallAwkwardSizesAtTheLeastAlignment) {
    const Kernel grow = kernel("", ", alignment = 16", plain_);
    const auto checks = grow.workload->checks(problem(grow, 1000, 2));
    ASSERT_EQ(checks.size(), 3U);
    EXPECT_EQ(checks[0].sizes, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(checks[1].sizes, (std::vector<std::int64_t>{37, 2}));
    EXPECT_EQ(checks[2].sizes, (std::vector<std::int64_t>{131, 2}));
    EXPECT_EQ(checks[1].arguments[0].offset, 16U);
    EXPECT_EQ(checks[1].arguments[1].bytes, 37U * 4);
    EXPECT_TRUE(checks[1].arguments[1].written);
    const Case timed = grow.workload->timed(problem(grow, 1000, 2));
    EXPECT_EQ(timed.name, "w=1000 h=2");
    EXPECT_EQ(timed.arguments[0].bytes, 8000U);
    EXPECT_EQ(timed.arguments[0].offset, 0U);
}

TEST_F(TemplateWorkloadTest, ChecksOnlyTheProblemWhereOtherSizesMayBeIllegal) {
    const Kernel grow = kernel("constraints = [\"w % block = 0\"]", "", plain_);
    EXPECT_TRUE(grow.workload->checks(problem(grow, 1024, 2)).empty());
}

TEST_F(TemplateWorkloadTest, ChecksTheSizesWhoseRowsATextureCanHave) {
    const char* const reference = "default = true";
    const auto texture = [](const std::string& pitch, const std::string& height = "1",
                            const std::string& width = "w") {
        return fmt::format(", texture = {{ width = \"{}\", height = \"{}\"{} }}", width, height,
                           pitch);
    };
    const std::string multiple_of_8 = ", pitch = \"ceil_div(w, 8) * 8\"";
    const Kernel plain = kernel("", texture(""), reference);
    EXPECT_TRUE(plain.workload->checks(problem(plain, 1000, 64)).empty());
    const Kernel padded = kernel("", texture(multiple_of_8), reference);
    const auto checks = padded.workload->checks(problem(padded, 1000, 64));
    ASSERT_EQ(checks.size(), 3U);
    for (const Case& one : checks) {
        EXPECT_EQ(one.arguments[0].offset, 512U) << one.name;
    }
    EXPECT_EQ(padded.workload->timed(problem(padded, 1000, 64)).arguments[0].offset, 0U);
    const Kernel linear = kernel("", ", texture = {}", reference);
    EXPECT_EQ(linear.workload->checks(problem(linear, 1000, 64)).size(), 3U);
    const Kernel quads = kernel("", ", texture = { channels = 4 }", reference);
    EXPECT_EQ(quads.workload->checks(problem(quads, 1000, 64)).size(), 2U) << "1 x 1 is no quad";
    const Kernel halves = kernel("", texture(multiple_of_8, "1", "w / 2"), reference);
    EXPECT_EQ(halves.workload->checks(problem(halves, 1000, 64)).size(), 2U) << "none of 1";
    const Kernel longer = kernel("", texture(multiple_of_8, "h"), reference);
    EXPECT_EQ(longer.workload->checks(problem(longer, 1000, 64)).size(), 1U)
        << "padded rows do not fit into the array, but for one of 1 x 1";
}

TEST_F(TemplateWorkloadTest, ComparesRelativelyToTheElementAndToAllTogether) {
    const Kernel grow = kernel("", "", plain_);
    const Case one = grow.workload->timed(problem(grow, 3, 1));
    ASSERT_TRUE(one.agree);
    const auto complaint = [&](const std::vector<float>& got, const std::vector<float>& want) {
        return one.agree(outputs(got), outputs(want));
    };
    EXPECT_EQ(complaint({100.9f, 0, 5}, {100, 0.25f, 5}), "");
    EXPECT_EQ(complaint({100, 50, 5}, {100, 0.25f, 5}), "c[1]: got 50, expected 0.25");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(complaint({nan, 0, 5}, {nan, 0, 5}), "");
    EXPECT_NE(complaint({nan, 0, 5}, {1, 0, 5}), "");
    EXPECT_NE(complaint({1, 0, 5}, {nan, 0, 5}), "");
}

TEST_F(TemplateWorkloadTest, TakesDataAndAnswersFromFiles) {
    write_npy("a.npy", {1, 2, 3, 4});
    write_npy("c.npy", {3, 7});
    const Kernel grow = kernel("", ", fill = \"a.npy\"", "npy = { c = \"c.npy\" }");
    EXPECT_TRUE(grow.workload->checks(problem(grow, 2, 2)).empty());
    const Case one = grow.workload->timed(problem(grow, 2, 2));
    EXPECT_EQ(values<float>(*one.arguments[0].pattern), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(one.judge(outputs({3, 7})), "");
    EXPECT_NE(one.judge(outputs({3, 9})), "");
    expect_error(ErrorKind::usage, "has 4 elements of float32",
                 [&] { grow.workload->timed(problem(grow, 3, 2)); });
}

TEST_F(TemplateWorkloadTest, AHostFunctionOfTheFileKnowsTheAnswers) {
    const Kernel grow =
        kernel("", ", fill = \"ones\"", "host = \"grown\"\narguments = [\"a\", \"c\"]",
               "__global__ void grow() {}\n#ifdef JITUNE_HOST\n#include <cmath>\n"
               "void grown(const float* a, float* c) { c[0] = std::sqrt(4 * a[2]); "
               "}\n#endif\n");
    EXPECT_EQ(grow.kernel_template.source().text.find("cmath"), std::string::npos);
    const Case one = grow.workload->timed(problem(grow, 1, 3));
    EXPECT_EQ(one.judge(outputs({2})), "");
    EXPECT_NE(one.judge(outputs({3})), "");
}

TEST_F(TemplateWorkloadTest, AHostFunctionThatDoesNotCompileNamesItsLine) {
    const Kernel grow =
        kernel("", "", "host = \"grown\"\narguments = [\"a\", \"c\"]",
               "#ifdef JITUNE_HOST\nvoid grown(const float*, float*) { wrong; }\n#endif");
    expect_error(ErrorKind::compile,
                 "grow.cu:19:", [&] { grow.workload->timed(problem(grow, 1, 3)); });
}

TEST_F(TemplateWorkloadTest, RefusesFrontMatterThatDoesNotSayWhatIsRight) {
    expect_error(ErrorKind::usage, "needs [reference]", [&] {
        kernel_from_text("x.cu",
                         "/* jitune template\nkernel = \"x\"\nbackend = \"cuda\"\nsizes = [\"n\"]\n"
                         "[parameters]\nb = { values = [1], default = 1 }\n[arguments]\n"
                         "a = { access = \"in\", type = \"int32\", count = \"n\" }\n"
                         "[[launch]]\nentry = \"x\"\narguments = [\"a\"]\n*/\n",
                         dir_.path());
    });
    expect_error(ErrorKind::usage, "between #ifdef JITUNE_HOST",
                 [&] { kernel("", "", "host = \"grown\"\narguments = [\"a\"]"); });
    expect_error(ErrorKind::usage, "lacks the output \"c\"", [&] { kernel("", "", "npy = {}"); });
    expect_error(ErrorKind::usage, "grow.cu:9: fill of argument a must be",
                 [&] { kernel("", ", fill = \"noise\"", plain_); });
    expect_error(ErrorKind::usage, "power of two", [&] { kernel("", ", alignment = 12", plain_); });
}

TEST_F(TemplateWorkloadTest, FillsAreWhatTheySay) {
    const auto filled = [&](const char* text, ElementType type, std::size_t count) {
        return fill_data(*Fill::parse(text), type, count, 1, dir_.path());
    };
    EXPECT_EQ(values<std::int16_t>(filled("iota", ElementType::int16, 3)),
              (std::vector<std::int16_t>{0, 1, 2}));
    EXPECT_EQ(values<double>(filled("ones", ElementType::float64, 3)), std::vector<double>{1});
    EXPECT_EQ(values<double>(filled("constant -2.5", ElementType::float64, 3)),
              std::vector<double>{-2.5});
    EXPECT_EQ(values<std::uint8_t>(filled("constant 255", ElementType::uint8, 3)),
              std::vector<std::uint8_t>{255});
    for (const char* text : {"constant 256", "constant -1", "constant 0.5", "constant 1e300"}) {
        expect_error(ErrorKind::usage, "is no integer of 1 bytes",
                     [&] { filled(text, ElementType::uint8, 3); });
    }
    std::ofstream(dir_.path() / "bytes.bin") << "abcd";
    EXPECT_EQ(values<std::uint8_t>(filled("raw bytes.bin", ElementType::uint8, 4)),
              (std::vector<std::uint8_t>{'a', 'b', 'c', 'd'}));
    EXPECT_EQ(values<std::uint16_t>(filled("raw bytes.bin", ElementType::uint16, 2)).size(), 2U);
    expect_error(ErrorKind::usage, "has 4 bytes, but the argument takes 6",
                 [&] { filled("raw bytes.bin", ElementType::uint16, 3); });
    int highest = 0;
    for (const std::uint8_t value :
         values<std::uint8_t>(filled("random 2..5", ElementType::uint8, 999))) {
        EXPECT_GE(value, 2);
        highest = std::max<int>(highest, value);
    }
    EXPECT_EQ(highest, 5);
    EXPECT_EQ(filled("random", ElementType::float32, 99),
              filled("random", ElementType::float32, 99));
    const auto shuffled = values<std::int32_t>(filled("permutation", ElementType::int32, 1000));
    EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
    EXPECT_EQ(std::set<int>(shuffled.begin(), shuffled.end()).size(), 1000U);
    EXPECT_EQ(*std::ranges::max_element(shuffled), 999);
    const auto sorted = values<double>(filled("sorted 2..3", ElementType::float64, 1000));
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    EXPECT_TRUE(sorted.front() >= 2 && sorted.back() <= 3 && sorted.front() < sorted.back());
    const auto offsets = values<std::int64_t>(filled("offsets 5000", ElementType::int64, 101));
    EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), 5000);
    EXPECT_EQ(offsets.size(), 101U);
    double sum = 0, squares = 0;
    for (const double value : values<double>(filled("normal 5, 2", ElementType::float64, 9999))) {
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / 9999, 5, 0.1);
    EXPECT_NEAR(std::sqrt(squares / 9999 - 25), 2, 0.1);
    EXPECT_EQ(values<std::int32_t>(filled("offsets 5", ElementType::int32, 1)),
              std::vector<std::int32_t>{0});
    EXPECT_EQ(values<std::int32_t>(filled("random 5..5", ElementType::int32, 2)),
              (std::vector<std::int32_t>{5, 5}));
    for (const std::int8_t value :
         values<std::int8_t>(filled("normal 0, 1000", ElementType::int8, 99))) {
        EXPECT_TRUE(value >= -128 && value <= 127);
    }
    EXPECT_FALSE(Fill::parse("random 5..2"));
    EXPECT_FALSE(Fill::parse("random x"));
}

TEST_F(TemplateWorkloadTest, RefusesFillsThatTheTypeDoesNotHold) {
    const auto filled = [&](const char* text, ElementType type, std::size_t count) {
        return fill_data(*Fill::parse(text), type, count, 1, dir_.path());
    };
    for (const char* text : {"permutation", "iota", "offsets 300", "random 0..300", "random -1..5",
                             "random 0.5..3", "sorted 0..256"}) {
        expect_error(ErrorKind::usage, "is no integer of 1 bytes",
                     [&] { filled(text, ElementType::uint8, 1000); });
    }
    expect_error(ErrorKind::usage, "is no number of 2 bytes",
                 [&] { filled("random 0..1e6", ElementType::float16, 3); });
    expect_error(ErrorKind::usage, "is no number of 4 bytes",
                 [&] { filled("constant 1e308", ElementType::float32, 3); });
}

}  // namespace
}  // namespace jitune::internal
