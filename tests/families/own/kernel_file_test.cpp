// SPDX-License-Identifier: Apache-2.0
#include "families/own/kernel_file.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

const char* const kFill = R"(/* jitune template
kernel = "fill"
backend = "host"
sizes = ["n"]
include_folders = ["headers"]
parameters = { unroll = { values = [1, 2], default = 1 } }
arguments = { to = { access = "out", type = "int32", count = "n" } }
reference = { default = true }
[[launch]]
entry = "fill"
arguments = ["to"]
*/
#include <deep/outer.h>
inline void fill(int* to) { *to = kAnswer; }
)";

class KernelFile : public ::testing::Test {
protected:
    void write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories((folder_.path() / name).parent_path());
        static_cast<void>(folder_.write(name, text));
    }
    [[nodiscard]] Kernel kernel(const std::vector<std::string>& options = {}) const {
        return kernel_from_file(folder_.path() / "fill.host.cpp", options);
    }
    [[nodiscard]] std::string hash() const { return kernel().kernel_template.hash(); }

    void SetUp() override {
        write("fill.host.cpp", kFill);
        write("headers/deep/outer.h", "#include \"inner.h\"\n");
        write("headers/deep/inner.h", "constexpr int kAnswer = 42;\n");
    }

    TempDir folder_;
};

TEST_F(KernelFile, HeadersOfIncludeFoldersArePartOfTheHash) {
    const std::string before = hash();
    EXPECT_EQ(hash(), before);
    write("headers/deep/beside.h", "not included");
    EXPECT_EQ(hash(), before);
    write("headers/deep/inner.h", "constexpr int kAnswer = 43;\n");
    EXPECT_NE(hash(), before);
}

TEST_F(KernelFile, HeadersBesideTheTemplateIncludeFromTheFolders) {
    std::string text = kFill;
    text.replace(text.find("<deep/outer.h>"), 14, "\"beside.h\"");
    write("fill.host.cpp", text);
    write("beside.h", "#include <deep/outer.h>\n");
    const std::string before = hash();
    write("headers/deep/inner.h", "constexpr int kAnswer = 43;\n");
    EXPECT_NE(hash(), before);
}

TEST_F(KernelFile, EveryHeaderThatAnIncludeMayMeanIsPartOfTheHash) {
    const auto counts = [&](const std::string& file) {
        write(file, "constexpr int kAnswer = 42;\n");
        const std::string before = hash();
        write(file, "constexpr int kAnswer = 43;\n");
        EXPECT_NE(hash(), before) << file;
    };
    write("headers/deep/outer.h", "#include <x.h>\n");
    counts("headers/deep/x.h");
    counts("headers/x.h");
    std::string text = kFill;
    text.replace(text.find("\"headers\""), 9, "\"headers\", \"more\"");
    write("fill.host.cpp", text);
    write("headers/x.h", "#include_next <x.h>\n");
    counts("more/x.h");
}

TEST_F(KernelFile, RefusesAnIncludeWhoseFileOfTheFoldersItCannotTell) {
    const auto refused = [&](const std::string& file) {
        expect_error(ErrorKind::usage, file + ": \"#include NAME\" does not say which file",
                     [&] { static_cast<void>(kernel()); });
    };
    const std::string macro = "#define NAME <deep/inner.h>\n#include NAME\n";
    write("beside.h", macro);
    std::string text = kFill;
    text.replace(text.find("<deep/outer.h>"), 14, "\"beside.h\"");
    write("fill.host.cpp", text);
    refused("beside.h");
    write("fill.host.cpp", kFill + macro);
    refused("fill.host.cpp");
    text = kFill + macro;
    text.replace(text.find("include_folders = [\"headers\"]"), 29, "");
    write("fill.host.cpp", text);
    EXPECT_NO_THROW(static_cast<void>(kernel())) << "the compiler says what it does not find";
    write("fill.host.cpp", kFill);
    write("headers/deep/inner.h", macro);
    EXPECT_NO_THROW(static_cast<void>(kernel())) << "libraries do so";
}

TEST_F(KernelFile, NamesAFolderThatIsNotThere) {
    std::filesystem::remove_all(folder_.path() / "headers");
    expect_error(ErrorKind::usage, "include_folders names \"headers\": no folder",
                 [&] { static_cast<void>(kernel()); });
}

TEST_F(KernelFile, RefusesAHeaderThatIsAPipe) {
    const auto refused = [&](const std::string& name) {
        const std::filesystem::path pipe = folder_.path() / name;
        std::filesystem::remove(pipe);
        ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        expect_error(ErrorKind::usage, name + "\", which is no file but a pipe",
                     [&] { static_cast<void>(kernel()); });
    };
    refused("headers/deep/inner.h");
    refused("headers/deep/outer.h");
    std::filesystem::create_directory(folder_.path() / "deep");
    refused("deep/outer.h");
}

TEST_F(KernelFile, IncludesTomlInEitherQuotes) {
    for (const char quote : {'"', '\''}) {
        std::string text = kFill;
        text.replace(text.find("sizes"), 5, std::string("include = [Qmore.tomlQ]\nsizes"));
        std::ranges::replace(text, 'Q', quote);
        write("fill.host.cpp", text);
        write("more.toml", "constraints = [\"n > 1\"]\n");
        EXPECT_EQ(kernel().kernel_template.front_matter().constraints.size(), 1U) << quote;
    }
}

TEST_F(KernelFile, AFolderIsNoHeader) {
    std::filesystem::create_directories(folder_.path() / "deep/outer.h");
    EXPECT_EQ(kernel().kernel_template.source().headers.size(), 0U);
}

TEST_F(KernelFile, AWorkerMakesTheSameKernelWithItsOptions) {
    const Kernel made = kernel({"-ffast-math"});
    EXPECT_NE(made.kernel_template.hash(), hash());
    EXPECT_EQ(kernel_file_of(made.spec).kernel_template.hash(), made.kernel_template.hash());
    std::vector<std::string> nowhere = made.spec;
    nowhere.at(3).clear();
    expect_error(ErrorKind::usage, "malformed worker spec",
                 [&] { static_cast<void>(kernel_file_of(nowhere)); });
    expect_error(ErrorKind::usage, "compile option \"fast\" is no option",
                 [&] { static_cast<void>(kernel({"fast"})); });
}

}  // namespace
}  // namespace jitune::internal
