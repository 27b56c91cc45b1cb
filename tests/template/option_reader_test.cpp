// SPDX-License-Identifier: Apache-2.0
#include "template/option_reader.hpp"

#include "fixtures/front_matter_lines.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {
namespace {

using Options = std::vector<std::string>;

/// The front matter of kLines with the key `options` on line 4.
std::string with_options(const std::string& list) {
    return with_line(4, "sizes = [\"n\"]\noptions = " + list);
}

Options options_of(const std::string& list, const std::string& configuration) {
    const KernelTemplate kernel({"scale.cu", with_options(list), {}});
    return kernel
        .instance({"scale", {{"element", "float32"}}, {1024}},
                  Configuration::parse(configuration, kernel.front_matter().parameters))
        .options;
}

TEST(OptionReader, PutsTextsOfParametersAndTypesIntoOptions) {
    EXPECT_EQ(
        options_of("[\"--fmad=false\", \"-maxrregcount={zip}\", \"-DT={element}\", \"-DM={mode}\"]",
                   "zip=64 block=32 mode=a"),
        (Options{"--fmad=false", "-maxrregcount=64", "-DT=float", "-DM=a"}));
}

TEST(OptionReader, LeavesOutOptionsWhoseConditionIsNotTrue) {
    const std::string list =
        "[{ option = \"--use_fast_math\", when = \"mode = 'a' AND element_bytes = 4\" }]";
    EXPECT_EQ(options_of(list, "zip=64 block=32 mode=a"), Options{"--use_fast_math"});
    EXPECT_EQ(options_of(list, "zip=64 block=32 mode=b"), Options{});
}

TEST(OptionReader, OptionsOfARunComeLastAndChangeTheHash) {
    const std::string text = with_options("[\"--fmad=false\"]");
    const KernelTemplate plain({"scale.cu", text, {}});
    const KernelTemplate fast({"scale.cu", text, {}, {"--use_fast_math"}});
    EXPECT_NE(plain.hash(), fast.hash());
    const Configuration standard =
        Configuration::parse("zip=64 block=32 mode=a", fast.front_matter().parameters);
    EXPECT_EQ(fast.instance({"scale", {{"element", "float32"}}, {1024}}, standard).options,
              (Options{"--fmad=false", "--use_fast_math"}));
}

TEST(OptionReader, RefusesWhatIsNoOption) {
    expect_refused_at(5, "options must be a list", with_options("\"-O3\""));
    for (const char* option : {"fast", "-", "", "-a\\nb"}) {
        expect_refused_at(5, "is no option", with_options(fmt::format("[\"{}\"]", option)));
    }
    expect_refused_at(5, "unknown key", with_options("[{ option = \"-O3\", if = \"1\" }]"));
}

TEST(OptionReader, RefusesUnknownNames) {
    expect_refused_at(5, "names \"registers\"", with_options("[\"-maxrregcount={registers}\"]"));
    expect_refused_at(5, "names \"n\"", with_options("[\"-DN={n}\"]"));
    expect_refused_at(5, "when of option names \"sm_count\"",
                      with_options("[{ option = \"-DX\", when = \"sm_count > 4\" }]"));
    expect_refused_at(5, "braces", with_options("[\"-DX={zip\"]"));
}

TEST(OptionReader, RefusesOptionsThatChangeInputOrOutput) {
    for (const char* option :
         {"-arch=sm_90", "--gpu-architecture=sm_90", "-rdc=true", "--minimal"}) {
        EXPECT_NE(flaw_of_option(PlatformKind::cuda, option), "") << option;
        EXPECT_EQ(flaw_of_option(PlatformKind::host, "-fno-math-errno"), "");
    }
    for (const char* option :
         {"--time=file", "-fdevice-time-trace=file", "--pre-include=file", "--optix-ir",
          "--ptxas-options=--gpu-name=sm_80", "-Xptxas=--output-file=x", "-include=file"}) {
        EXPECT_NE(flaw_of_option(PlatformKind::cuda, option), "") << option;
    }
    for (const char* option :
         {"-o", "-oaway", "-c", "-shared", "-E", "-MM", "--compile", "--preprocess", "-Wl,-o,x",
          "-Wl,-Map=x", "-Wp,-MD,x", "-Wa,-o,x", "-march=haswell", "-isystem/x", "-include/x",
          "--include-directory=/x", "-fopt-info-all=x"}) {
        EXPECT_NE(flaw_of_option(PlatformKind::host, option), "") << option;
    }
    for (const char* option : {"-O2", "-ffast-math", "-DX=1", "-funroll-loops", "-mavx2", "-lm"}) {
        EXPECT_EQ(flaw_of_option(PlatformKind::host, option), "") << option;
    }
    for (const char* option : {"--use_fast_math", "-maxrregcount=32", "--fmad=false", "-DX=1",
                               "--ptxas-options=-v", "--extra-device-vectorization", "-lineinfo"}) {
        EXPECT_EQ(flaw_of_option(PlatformKind::cuda, option), "") << option;
    }
    EXPECT_NE(flaw_of_option(PlatformKind::host, "-I/usr/include").find("include_folders"),
              std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
