// SPDX-License-Identifier: Apache-2.0
#include "fixtures/front_matter_lines.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

TEST(FrontMatter, ReadsEverythingAsWritten) {
    const FrontMatter front = parse(text_of(kLines));
    EXPECT_EQ(front.kernel, "scale");
    EXPECT_EQ(front.platform, PlatformKind::cuda);
    EXPECT_EQ(front.summary, "");
    EXPECT_EQ(front.sizes, std::vector<std::string>{"n"});
    EXPECT_EQ(front.types.at("element").at("float32"), "float");
    EXPECT_EQ(front.enumerations, (std::map<std::string, std::string>{{"mode", "fake::Mode"}}));
    ASSERT_EQ(front.arguments.size(), 2U);
    EXPECT_EQ(front.arguments[0].access, Access::in);
    EXPECT_EQ(front.arguments[1].access, Access::scalar);
    ASSERT_EQ(front.launches.size(), 1U);
    EXPECT_EQ(front.launches[0].entry, "fake::scale");
    EXPECT_EQ(front.launches[0].template_arguments,
              (std::vector<std::string>{"element", "block", "mode"}));
    EXPECT_EQ(front.launches[0].grid[1].constant_value(), Scalar(std::int64_t{2}));
    EXPECT_EQ(front.launches[0].grid[2].constant_value(), Scalar(std::int64_t{1}));
    EXPECT_EQ(front.launches[0].block[1].constant_value(), Scalar(std::int64_t{1}));
    EXPECT_EQ(front.launches[0].shared_bytes.constant_value(), Scalar(std::int64_t{0}));
    EXPECT_EQ(front.launches[0].cluster.constant_value(), Scalar(std::int64_t{1}));
    EXPECT_EQ(front.launches[0].programmatic.constant_value(), Scalar(std::int64_t{0}));
}

TEST(FrontMatter, ReadsLaunchAttributes) {
    const LaunchSpec launch =
        parse(
            with_line(27, "block = \"block\"\ncluster = \"zip / 64\"\nprogrammatic = \"n > tile\""))
            .launches.at(0);
    EXPECT_EQ(launch.cluster.names(), std::set<std::string>{"zip"});
    EXPECT_EQ(launch.programmatic.names(), (std::set<std::string>{"n", "block", "zip"}));
    expect_refused_at(22, "\"blocks\"", with_line(27, "block = \"block\"\ncluster = \"blocks\""));
}

TEST(FrontMatter, ReadsWhatIsWorthTryingApartFromWhatIsLegal) {
    const FrontMatter front = parse(with_line(8, "]\nprune = [\"zip >= 128\", \"tile < n / 2\"]"));
    EXPECT_EQ(front.constraints.size(), 2U);
    ASSERT_EQ(front.prune.size(), 2U);
    EXPECT_EQ(front.prune[1].names(), (std::set<std::string>{"block", "n", "zip"}));
    EXPECT_TRUE(parse(text_of(kLines)).prune.empty());
    expect_refused_at(9, "\"blocks\"", with_line(8, "]\nprune = [\"blocks > 1\"]"));
}

TEST(FrontMatter, ReadsHowReproducibleAConfigurationIs) {
    const Scalar fixed(std::string("fixed"));
    EXPECT_EQ(parse(text_of(kLines)).reproducibility.constant_value(), fixed);
    const FrontMatter front =
        parse(with_line(8, "]\nreproducibility = \"iif(mode = 'a', 'any', 'exact')\""));
    EXPECT_EQ(front.reproducibility.names(), std::set<std::string>{"mode"});
    expect_refused_at(9, "\"finish\"", with_line(8, "]\nreproducibility = \"finish\""));
}

TEST(FrontMatter, ReadsWhetherCandidatesFindTheirDataInTheCache) {
    EXPECT_FALSE(parse(text_of(kLines)).warm_cache);
    EXPECT_TRUE(parse(with_line(3, "backend = \"cuda\"\ncache = \"warm\"")).warm_cache);
    expect_refused_at(4, "\"cold\" or \"warm\"",
                      with_line(3, "backend = \"cuda\"\ncache = \"hot\""));
}

TEST(FrontMatter, ValuesOfAMacroAreNamesWithoutAnEnumeration) {
    std::vector<std::string> lines = kLines;
    lines[3] = "sizes = [\"n\"]\ndefines = [\"mode\"]";
    lines[14] = "mode = { values = [\"a\", \"b\"], default = \"b\" }";
    expect_error(ErrorKind::usage, "unless it is a macro alone", [&] { parse(text_of(lines)); });
    lines[23] = "template = [\"element\", \"block\"]";
    const FrontMatter front = parse(text_of(lines));
    EXPECT_TRUE(front.enumerations.empty());
    EXPECT_EQ(front.parameters[2].default_value(), Value("b"));
    expect_refused_at(15, "unless it is a macro alone", with_line(15, lines[14]));
}

TEST(FrontMatter, ReadsMacrosAndMetrics) {
    const FrontMatter front = parse(
        with_line(4,
                  "sizes = [\"n\"]\ndefines = [\"block\", \"element\"]\n"
                  "metrics.rate = { value = \"n * element_bytes / seconds\", unit = \"B/s\" }"));
    EXPECT_EQ(front.defines, (std::vector<std::string>{"block", "element"}));
    ASSERT_EQ(front.metrics.size(), 1U);
    EXPECT_EQ(front.metrics[0].unit, "B/s");
    EXPECT_EQ(front.metrics[0].value.names(),
              (std::set<std::string>{"n", "element_bytes", "seconds"}));
    expect_refused_at(5, "neither a parameter nor a type parameter",
                      with_line(4, "sizes = [\"n\"]\ndefines = [\"n\"]"));
    expect_refused_at(22, "\"seconds\"", with_line(27, "block = \"seconds\""));
}

TEST(FrontMatter, RefusesAMetricThatHasTheNameOfAnObjective) {
    for (const std::string name : {"time", "energy", "edp"}) {
        expect_refused_at(
            5, "metric " + name + " has the name of an objective",
            with_line(4, "sizes = [\"n\"]\nmetrics." + name + " = { value = \"n * 1.0\" }"));
    }
    EXPECT_NO_THROW(parse(with_line(4, "sizes = [\"n\"]\nmetrics.times = { value = \"n\" }")));
}

TEST(FrontMatter, KnowsATypeByItsNameAndItsBytes) {
    const FrontMatter front =
        parse(with_line(7, "    \"element = 'float32' OR element_bytes > 4\","));
    EXPECT_EQ(front.constraints[1].names(), (std::set<std::string>{"element", "element_bytes"}));
    const auto holds = [&](const char* element, std::int64_t bytes) {
        return front.constraints[1]
            .bind({{"element", std::string(element)}, {"element_bytes", bytes}})
            .constant_value();
    };
    EXPECT_EQ(holds("float32", 4), Scalar(std::int64_t{1}));
    EXPECT_EQ(holds("int32", 4), Scalar(std::int64_t{0}));
}

TEST(FrontMatter, KeepsParametersAndValuesInTheOrderTheyAreWrittenIn) {
    const FrontMatter front = parse(text_of(kLines));
    ASSERT_EQ(front.parameters.size(), 3U);
    EXPECT_EQ(front.parameters[0].name, "zip");
    EXPECT_EQ(front.parameters[1].name, "block");
    EXPECT_EQ(front.parameters[2].name, "mode");
    EXPECT_EQ(front.parameters[0].values, (std::vector<Value>{64, 128, 256}));
    EXPECT_EQ(front.parameters[0].default_value(), Value(128));
    EXPECT_EQ(front.parameters[2].default_value(), Value("b"));
}

TEST(FrontMatter, ReplacesDerivedNamesByWhatTheyMean) {
    const FrontMatter front = parse(text_of(kLines));
    EXPECT_EQ(front.constraints[1].names(), (std::set<std::string>{"block", "n", "zip"}));
    EXPECT_EQ(front.launches[0].grid[0].names(), (std::set<std::string>{"block", "n", "zip"}));
    ASSERT_EQ(front.derived.size(), 2U);
    EXPECT_EQ(front.derived.at("tiles").names(), (std::set<std::string>{"block", "n", "zip"}));
}

TEST(FrontMatter, MayStartAfterBlankLinesAndStillCountsLines) {
    EXPECT_NO_THROW(parse("\n \n" + text_of(kLines)));
    expect_refused_at(4, "backend must be", "\n" + with_line(3, "backend = \"vulkan\""));
}

TEST(FrontMatter, MustBeTheFirstComment) {
    for (const char* text : {"", "  \n", "int x;", "// kernel", "/* another comment */"}) {
        expect_refused_at(1, "begins with \"/* jitune template\"", text);
    }
    std::vector<std::string> lines = kLines;
    lines.pop_back();
    expect_error(ErrorKind::usage, "comment does not end", [&] { parse(text_of(lines)); });
}

TEST(FrontMatter, PointsAtBrokenToml) {
    expect_line_refused(13, "zip = { values = [64, 128], default = }", "");
    expect_line_refused(4, "sizes = [\"n\"] x", "");
    expect_line_refused(4, "backend = \"host\"", "backend");
}

TEST(FrontMatter, RefusesKeysItDoesNotKnow) {
    expect_refused_at(5, "front matter has an unknown key \"size\"",
                      with_line(4, "sizes = [\"n\"]\nsize = 3"));
    expect_line_refused(
        13, "zip = { values = [64], default = 64, step = 2 }",
        "parameter zip has an unknown key \"step\"; its keys are values, default, type");
    expect_line_refused(20,
                        "values = { access = \"in\", type = \"element\", count = \"n\", a = 1 }",
                        "argument values has an unknown key \"a\"");
    expect_line_refused(
        20, "values = { access = \"in\", type = \"element\", value = \"n\" }",
        "argument values has an unknown key \"value\"; its keys are access, type, count");
    expect_line_refused(27, "blocks = \"block\"", "launch has an unknown key \"blocks\"");
}

TEST(FrontMatter, NamesWhatIsMissing) {
    expect_error(ErrorKind::usage, "front matter needs kernel", [] { parse(with_line(2, "")); });
    expect_error(ErrorKind::usage, "front matter needs backend", [] { parse(with_line(3, "")); });
    expect_error(ErrorKind::usage, "sizes must name at least one size",
                 [] { parse(with_line(4, "")); });
    expect_error(ErrorKind::usage, "needs a table [parameters]", [] {
        parse(
            "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\n"
            "sizes = [\"n\"]\n*/");
    });
    expect_error(ErrorKind::usage, "needs a table [arguments]", [] {
        parse(
            "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\n"
            "sizes = [\"n\"]\n[parameters]\n*/");
    });
    expect_error(ErrorKind::usage, "needs one to 4 tables [[launch]]", [] {
        parse(
            "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\n"
            "sizes = [\"n\"]\n[parameters]\n[arguments]\n*/");
    });
    expect_line_refused(13, "zip = { values = [64] }", "needs values = [ … ] and default = …");
    expect_line_refused(13, "zip = { values = [], default = 1 }", "needs values");
    expect_line_refused(15, "mode = { values = [\"a\"], default = \"a\" }",
                        "parameter mode needs type");
    expect_line_refused(20, "values = { access = \"in\", type = \"element\" }",
                        "argument values needs count");
    expect_line_refused(21, "n = { access = \"scalar\", type = \"uint64\" }",
                        "argument n needs value");
    expect_line_refused(22, "[[launch]]\n[[launch]]", "launch needs entry");
}

TEST(FrontMatter, RefusesValuesThatAreNotOfOneKind) {
    expect_line_refused(13, "zip = { values = [64, \"a\"], default = 64 }", "must be distinct");
    expect_line_refused(13, "zip = { values = [64, 64], default = 64 }", "must be distinct");
    expect_line_refused(13, "zip = { values = [1.5], default = 1.5 }", "integers or names");
    expect_line_refused(13, "zip = { values = [\"a b\"], default = \"a b\" }", "integers or names");
    expect_line_refused(
        13, "zip = { values = [\"--fmad=false\"], default = \"--fmad=false\" }",
        "an option stands in options: zip = { values = [0, 1], default = 0 } and options = [{ "
        "option = \"--fmad=false\", when = \"zip = 1\" }]");
    expect_line_refused(13, "zip = { values = [64], default = 65 }",
                        "default of parameter zip must be one of its values");
    expect_line_refused(13, "zip = 64", "parameter zip must be a table");
}

TEST(FrontMatter, RefusesTextThatIsNoNameOfCode) {
    expect_line_refused(2, "kernel = \"a b\"", "kernel must be a name");
    expect_line_refused(4, "sizes = [\"n+1\"]", "\"n+1\" is not a name");
    expect_line_refused(10, "int32 = \"int> evil()\"", "must be lines of name = \"C++ type\"");
    expect_line_refused(10, R"("a'b" = "int")", "must be lines of name = \"C++ type\"");
    expect_line_refused(15, "mode = { values = [\"a\"], default = \"a\", type = \"M<1>\" }",
                        "must name a C++ enumeration");
    expect_refused_at(22, "entry of launch must be", with_line(23, "entry = \"f(); g\""));
    expect_line_refused(13, "\"z z\" = { values = [64], default = 64 }", "\"z z\" is not a name");
}

TEST(FrontMatter, ExpandsATypeParameterThatIsAnInteger) {
    const FrontMatter front =
        parse(with_line(9, "[types.radius]\nrange = \"8..10\"\n[types.element]"));
    const std::map<std::string, std::string> wanted{{"8", "8"}, {"9", "9"}, {"10", "10"}};
    EXPECT_EQ(front.types.at("radius"), wanted);
    EXPECT_EQ(front.type_value("radius", "9"), Scalar(std::int64_t{9}));
    EXPECT_EQ(front.type_value("element", "int32"), Scalar(std::string("int32")));
    EXPECT_TRUE(front.is_instance_word("radius"));
}

TEST(FrontMatter, RefusesARangeThatIsNone) {
    for (const char* range : {"1", "1..", "..2", "2..1", "-1..2", "1..2.", "1 ..2", "1...2",
                              "0..4096", "1048576..1048577", "1..99999999999999999999"}) {
        expect_refused_at(10, "range of types.radius must be two integers",
                          with_line(9, fmt::format("[types.radius]\nrange = \"{}\"\n"
                                                   "[types.element]",
                                                   range)));
    }
    expect_refused_at(11, "types.radius has an unknown key \"a\"",
                      with_line(9, "[types.radius]\nrange = \"1..2\"\na = \"b\"\n[types.element]"));
    expect_refused_at(
        22, "neither a type parameter nor a type name",
        with_line(20, "values = { access = \"in\", type = \"radius\", count = \"n\" }")
            .replace(text_of(kLines).find("[types.element]"), 0,
                     "[types.radius]\nrange = \"1..2\"\n"));
}

TEST(FrontMatter, RefusesANameDeclaredTwice) {
    expect_line_refused(14, "n = { values = [32], default = 32 }", "\"n\" is declared twice");
    expect_line_refused(14, "sm_count = { values = [32], default = 32 }", "device attribute");
    expect_line_refused(17, "zip = \"block\"", "\"zip\" is declared twice");
    expect_line_refused(14, "zip = { values = [32], default = 32 }", "");
}

/// The template with `text` as its header "words.toml", included on line 5.
FrontMatter parse_with(
    const std::string& text,
    const std::string& source = with_line(4, kLines[3] + "\ninclude = [\"words.toml\"]")) {
    return parse_front_matter({"scale.cu", source, {{"scale.h", ""}, {"words.toml", text}}});
}

TEST(FrontMatter, MergesWhatItIncludesBeforeItsOwn) {
    const FrontMatter front = parse_with(
        "constraints = [\"wide > 8\"]\nprune = [\"strips > 1\"]\n[types.result]\nint8 = \"char\"\n"
        "[parameters]\nwide = { values = [8, 16], default = 16 }\n"
        "[derived]\nstrips = \"block / wide\"\n");
    EXPECT_EQ(front.types.at("result").at("int8"), "char");
    EXPECT_EQ(front.types.at("element").at("int32"), "int");
    ASSERT_EQ(front.parameters.size(), 4U);
    EXPECT_EQ(front.parameters[0].name, "wide");
    EXPECT_EQ(front.parameters[1].name, "zip");
    ASSERT_EQ(front.constraints.size(), 3U);
    EXPECT_EQ(front.constraints[0].names(), std::set<std::string>{"wide"});
    ASSERT_EQ(front.prune.size(), 1U);
    EXPECT_EQ(front.prune[0].names(), (std::set<std::string>{"block", "wide"}));
}

TEST(FrontMatter, MayIncludeAllItsParameters) {
    const std::string head = "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\n";
    const std::string tail =
        "include = [\"words.toml\"]\nsizes = [\"n\"]\n[arguments]\n[[launch]]\nentry = \"f\"\n*/";
    EXPECT_EQ(parse_with("[parameters]\na = { values = [1], default = 1 }", head + tail)
                  .parameters.size(),
              1U);
    expect_error(ErrorKind::usage, "scale.cu:1: front matter needs a table [parameters]",
                 [&] { parse_with("", head + tail); });
}

TEST(FrontMatter, RefusesToDeclareAgainWhatItIncludes) {
    expect_error(ErrorKind::usage,
                 "scale.cu:10: \"element\" is declared twice: first at words.toml:2",
                 [] { parse_with("\n[types.element]\nint8 = \"char\""); });
    expect_error(ErrorKind::usage,
                 "scale.cu:15: \"block\" is declared twice: first at words.toml:2",
                 [] { parse_with("[parameters]\nblock = { values = [1], default = 1 }"); });
}

TEST(FrontMatter, NamesTheIncludedFileThatIsWrong) {
    const auto expect_refused = [](const std::string& message, const std::string& text) {
        expect_error(ErrorKind::usage, message, [&] { parse_with(text); });
    };
    expect_refused("words.toml:2: ", "# words\nconstraints = [");
    expect_refused("words.toml:2: \"blocks\" in \"blocks > 1\"",
                   "\nconstraints = [\"blocks > 1\"]");
    expect_refused("words.toml:1: constraints of front matter must be a list", "constraints = 3");
    expect_refused(
        "words.toml:1: included front matter has an unknown key \"include\"; its keys are",
        "include = [\"more.toml\"]");
    expect_error(
        ErrorKind::usage,
        "scale.cu:5: include names \"word.toml\", which is not a .toml file in the template's "
        "folder or below it, nor one of its headers: "
        "scale.h, words.toml",
        [] { parse_with("", with_line(4, kLines[3] + "\ninclude = [\"word.toml\"]")); });
}

TEST(FrontMatter, RefusesExpressionsItCannotTrust) {
    expect_line_refused(7, "    \"32 <= block <= 64\",", "");
    expect_line_refused(7, "    \"block <= blocks\",", "\"blocks\" in \"block <= blocks\"");
    expect_line_refused(7, "    \"block <=\",", "");
    expect_line_refused(7, "    \"block <= 3; DROP TABLE x\",", "");
    expect_line_refused(17, "tile = \"block * tiles\"", "\"tiles\" in \"block * tiles\"");
    expect_line_refused(18, "tiles = 4", "derived tiles must be an expression in quotes");
    expect_line_refused(20, "values = { access = \"in\", type = \"element\", count = \"m\" }",
                        "\"m\" in \"m\" is not known here");
    expect_refused_at(22, "\"cores\" in \"cores\"", with_line(26, "grid = \"cores\""));
}

TEST(FrontMatter, RefusesBytesThatAreNotUtf8) {
    for (const std::string bytes : {"\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
        expect_refused_at(6, "is not UTF-8: save the file as UTF-8",
                          with_line(6, "    \"block <= " + bytes + "\","));
        expect_refused_at(11, "is not UTF-8", with_line(11, bytes + " = \"float\""));
    }
    expect_error(ErrorKind::usage, "words.toml:2: the byte 0xfe is not UTF-8",
                 [] { parse_with("\n# \xfe"); });
}

TEST(FrontMatter, RefusesKeysThatOverflowTheStack) {
    std::string key = "a";
    for (int i = 0; i < 200'000; ++i) {
        key += ".a";
    }
    expect_refused_at(10, "more than 256 dots", with_line(10, key + " = \"int\""));
    expect_refused_at(16, "more than 256 dots", with_line(16, "[" + key + "]"));
}

TEST(FrontMatter, KnowsTheBytesOfItsTypeNames) {
    EXPECT_EQ(type_bytes("int32"), 4);
    EXPECT_EQ(type_bytes("bfloat16"), 2);
    EXPECT_EQ(type_bytes("float64"), 8);
    EXPECT_EQ(type_bytes("sum"), std::nullopt);
}

}  // namespace
}  // namespace jitune::internal
