// SPDX-License-Identifier: Apache-2.0
#include "support/source_scanner.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Names = std::vector<std::string>;

std::string with_include(const std::string& before) {
    return before + "#include \"x.h\"\n";
}

TEST(SourceScanner, TakesEveryDirectiveThatIncludesAHeader) {
    for (const char* text :
         {"#include \"x.h\"", "#include <x.h>", "#include_next \"x.h\"", "#import <x.h>",
          "  # \t include\"x.h\"", "%:include \"x.h\"", "?\?=include \"x.h\"",
          "#/* a\n*/include/* b */\"x.h\"", "#inc\\\nlude \"x\\  \n.h\"",
          "#include \\\r\n\"x.h\"\r\n", "#include \"x.h\";", "#include <x.h> > junk",
          "#include \"x.h\" \"y.h\"", "#include \"x.h\"// y", "int a;\r#include \"x.h\"\rint b;"}) {
        EXPECT_EQ(included_names(text), Names{"x.h"}) << text;
    }
}

TEST(SourceScanner, ReadsTheNameOfAHeaderAsItStands) {
    EXPECT_EQ(included_names("#include <d//x.h>\n"), Names{"d//x.h"});
    EXPECT_EQ(included_names("#include \"d//x.h\" // y"), Names{"d//x.h"});
    EXPECT_EQ(included_names("#include <d/*x.h>\n#include <y.h> /*\n*/"), (Names{"d/*x.h", "y.h"}));
    EXPECT_EQ(included_names("#include <it's.h>\n#include <a\"b.h>"), (Names{"it's.h", "a\"b.h"}));
    EXPECT_EQ(included_names("#include \"d\\\"\n/* */ #include <y.h>"), (Names{"d\\", "y.h"}));
}

TEST(SourceScanner, LeavesOutCommentsAndStrings) {
    for (const char* text :
         {"// #include \"x.h\"", "/*\n#include \"x.h\"\n*/", "R\"(\n#include \"x.h\"\n)\"",
          "u8R\"a(\n)\"\n#include \"x.h\"\n)a\"", "const char* s = \"#include\";",
          "a #include \"x.h\"", "// a \\\n#include \"x.h\"", "#included \"x.h\"", "#define A <x.h>",
          "a < b /*\n#include <x.h>*/"}) {
        EXPECT_EQ(included_names(text), Names{}) << text;
    }
}

TEST(SourceScanner, FindsTheEndOfWhatStandsBefore) {
    for (const char* before :
         {"R\"x()\\\nx\" /* )x\";\n", "R\"(\\\n\\\n)\" \"/*\"\n", "a\\\nb R\\\n\"x(/*)x\"\n",
          "R\"a b(\n", "R\"/*\n", "aR\"(\"\n", "0R\"(\"\n", "0xA.F'Fp0; R\"(\n)\"; '\"'\n",
          "1'0xa'b; R\"(/*)\"\n", "1e+1'0; R\"(/*)\"\n", ".5'0; R\"(/*)\"\n", "a.b'\"'\n",
          "e+u'\"'\n", "e+1'0; R\"(/*)\"\n", "x-0x1p-1'0.5'0; R\"(/*)\"\n", "'\\'' \"\\\"\"\n",
          "#if 0\ndon't /*\n#endif\n", "L'\"' u8'\"'\n", "#define A \"\n"}) {
        EXPECT_EQ(included_names(with_include(before)), Names{"x.h"}) << before;
    }
}

TEST(SourceScanner, TellsADirectiveWithoutALiteralName) {
    const auto told = [](const std::string& text, const std::string& line) {
        const std::vector<IncludeDirective> directives = include_directives(text);
        ASSERT_EQ(directives.size(), 1U) << text;
        EXPECT_EQ(directives[0].name, "") << text;
        EXPECT_EQ(directives[0].text, line);
        EXPECT_EQ(included_names(text), Names{});
    };
    told("#define CFG \"x.h\"\n  #  include /* which? */ CFG // that\n", "#include   CFG");
    told("#include NAME(x)", "#include NAME(x)");
    told("#embed \"x.h\"", "#embed \"x.h\"");
    told("#include", "#include");
    told("#include \"\"", "#include \"\"");
    told("#include <x.h\n", "#include <x.h");
    EXPECT_EQ(include_directives("# include  <x.h>  /* */").at(0).text, "#include  <x.h>");
}

}  // namespace
}  // namespace jitune::internal
