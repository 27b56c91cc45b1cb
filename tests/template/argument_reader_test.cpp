// SPDX-License-Identifier: Apache-2.0
#include "backend/launch.hpp"
#include "fixtures/front_matter_lines.hpp"

namespace jitune::internal {
namespace {

TEST(ArgumentReader, ReadsWhatAnArgumentIsTunedWith) {
    const FrontMatter front = parse(with_line(
        20,
        "values = { access = \"in\", type = \"element\", count = \"n\", fill = \"random -1..2.5\", "
        "alignment = 16 }\n"
        "alpha = { access = \"value\", type = \"float32\", value = \"0.5\" }\n"
        "result = { access = \"out\", type = \"element\", count = \"n\", tolerance = 1e-3 }"));
    EXPECT_EQ(front.arguments[0].fill.low.constant_value(), Scalar(std::int64_t{-1}));
    EXPECT_EQ(front.arguments[0].fill.high.constant_value(), Scalar(2.5));
    EXPECT_EQ(front.arguments[0].alignment, 16);
    EXPECT_EQ(front.arguments[1].access, Access::value);
    EXPECT_EQ(front.arguments[2].tolerance, 1e-3);
    expect_line_refused(21,
                        "n = { access = \"out\", type = \"int32\", count = \"n\", tolerance = 2 }",
                        "relative difference");
    expect_line_refused(
        21, "n = { access = \"scalar\", type = \"int32\", value = \"n\", fill = \"ones\" }",
        "unknown key \"fill\"");
}

TEST(ArgumentReader, NamesTheConstantThatAnArrayIsCopiedInto) {
    const std::string filter =
        "filter = { access = \"in\", type = \"float32\", count = \"4\", constant = \"ns::filter\" "
        "}";
    const FrontMatter front = parse(with_line(20, kLines[19] + "\n" + filter));
    EXPECT_EQ(front.arguments[0].constant, "");
    EXPECT_EQ(front.arguments[1].constant, "ns::filter");
    expect_line_refused(20,
                        "values = { access = \"in\", type = \"element\", count = \"n\", constant = "
                        "\"1 + 1\" }",
                        "must be the name of a __constant__ variable");
    expect_line_refused(
        20,
        "values = { access = \"out\", type = \"element\", count = \"n\", constant = "
        "\"filter\" }",
        "unknown key \"constant\"");
    std::string many = kLines[19];
    for (int i = 0; i < 5; ++i) {
        many += fmt::format(
            "\nf{} = {{ access = \"in\", type = \"int8\", count = \"1\", constant = "
            "\"f{}\" }}",
            i, i);
    }
    expect_error(ErrorKind::usage, "one too many", [&] { parse(with_line(20, many)); });
}

TEST(ArgumentReader, ReadsFills) {
    const auto fill = [](const std::string& text) {
        return parse(with_line(20,
                               "values = { access = \"in\", type = \"element\", count = \"n\", "
                               "fill = \"" +
                                   text + "\" }"))
            .arguments[0]
            .fill;
    };
    EXPECT_EQ(fill("constant -2.5").kind, Fill::Kind::constant);
    EXPECT_EQ(fill("constant -2.5").value, -2.5);
    EXPECT_EQ(fill("raw data/a b.bin").kind, Fill::Kind::raw);
    EXPECT_EQ(fill("raw data/a b.bin").file, "data/a b.bin");
    EXPECT_EQ(fill("raw a.npy").kind, Fill::Kind::raw);
    EXPECT_EQ(fill("a.npy").kind, Fill::Kind::file);
    EXPECT_EQ(fill("a_{n}_{element}.npy").file, "a_{n}_{element}.npy");
    EXPECT_EQ(fill("random 0..tile").high.names(), (std::set<std::string>{"block", "zip"}));
    EXPECT_EQ(fill("sorted").has_bounds, false);
    EXPECT_EQ(fill("offsets n * 4").kind, Fill::Kind::offsets);
    EXPECT_EQ(fill("normal 1, 0.5").high.constant_value(), Scalar(0.5));
    EXPECT_EQ(fill("permutation").kind, Fill::Kind::permutation);
    expect_error(ErrorKind::usage, "names {m}, which is neither", [&] { fill("a_{m}.npy"); });
    expect_error(ErrorKind::usage, "is not known here", [&] { fill("random 0..m"); });
    for (const char* text : {"offsets", "normal 1", "normal 1, -1", "sorted 3..2", "random 0..",
                             "random ..3", "permutation 4"}) {
        expect_error(ErrorKind::usage, "permutation, offsets LAST", [&] { fill(text); });
    }
    for (const char* text : {"constant", "constant x", "constant 1e999", "raw ", "binary"}) {
        expect_error(ErrorKind::usage, "constant A, a .npy file or raw FILE", [&] { fill(text); });
    }
}

TEST(ArgumentReader, TakesArgumentsInAnyOrder) {
    const FrontMatter front = parse(with_line(
        20,
        "result = { access = \"out\", type = \"element\", count = \"n\" }\n"
        "both = { access = \"inout\", type = \"element\", count = \"n\", fill = \"ones\", "
        "tolerance = 0, alignment = 8 }\n"
        "values = { access = \"in\", type = \"element\", count = \"n\" }"));
    EXPECT_EQ(front.arguments[0].access, Access::out);
    EXPECT_EQ(front.arguments[1].access, Access::inout);
    EXPECT_EQ(front.arguments[1].fill.kind, Fill::Kind::ones);
    EXPECT_EQ(front.arguments[1].tolerance, 0);
    EXPECT_EQ(front.arguments[1].alignment, 8);
    EXPECT_EQ(front.arguments[2].access, Access::in);
}

TEST(ArgumentReader, RefusesArgumentsThatDoNotFit) {
    expect_line_refused(20, "values = { access = \"both\", type = \"element\", count = \"n\" }",
                        "must be in, out, inout, value, scalar, scratch or zeroed");
    expect_line_refused(20, "values = { access = \"in\", type = \"string\", count = \"n\" }",
                        "neither a type parameter nor a type name");
    expect_line_refused(21, "n = { access = \"scalar\", type = \"float32\", value = \"n\" }",
                        "must be an integer type");
    for (const std::string type : {"el}ement", "{}", "{:d}"}) {
        expect_line_refused(20,
                            "values = { access = \"in\", type = \"" + type + "\", count = \"n\" }",
                            "type of argument values is \"" + type + "\", which is neither");
    }
    std::string many;
    for (std::size_t i = 0; i < kMaxArguments; ++i) {
        many += fmt::format("a{} = {{ access = \"in\", type = \"element\", count = \"n\" }}\n", i);
    }
    expect_error(ErrorKind::usage, "at most 64 arguments",
                 [&] { parse(with_line(21, many + kLines[20])); });
}

TEST(ArgumentReader, RefusesMoreArgumentsThanALaunchHolds) {
    std::string names = "\"n\"";
    for (std::size_t i = 0; i < kMaxArguments; ++i) {
        names += ", \"n\"";
    }
    expect_refused_at(22, "at most 64 arguments", with_line(25, "arguments = [" + names + "]"));
}

}  // namespace
}  // namespace jitune::internal
