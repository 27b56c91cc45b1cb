// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/compile_programs.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::string defined_text(const std::string& name) {
    return defined_source({name, "int a;\n", {}},
                          {.expressions = {"f"}, .defines = "#define N 1\n"})
        .text;
}

TEST(CompilePrograms, PutDefinesBeforeALineThatNamesTheTemplate) {
    EXPECT_EQ(defined_text("é/a b.cu"), "#define N 1\n#line 1 \"é/a b.cu\"\nint a;\n");
    EXPECT_EQ(defined_source({"a.cu", "int a;\n", {}}, {{"f"}}).text, "int a;\n");
}

TEST(CompilePrograms, TakeATemplateWithAnyName) {
    EXPECT_EQ(defined_text("a\"b\n#error\\\x7f.cu"),
              "#define N 1\n#line 1 \"a?b?#error??.cu\"\nint a;\n");
}

}  // namespace
}  // namespace jitune::internal
