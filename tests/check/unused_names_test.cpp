// SPDX-License-Identifier: Apache-2.0
#include "check/finding.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

const char* const kIdle = R"(/* jitune template
kernel = "k"
backend = "host"
sizes = ["n", "m"]
defines = ["block", "ghost"]
constraints = ["ruled > 0"]
options = ["-DLEVEL={level}"]
[types.element]
float32 = "float"
[types.mode]
fast = "Fast"
slow = "Slow"
[parameters]
block = { values = [1, 2], default = 1 }
ghost = { values = [1, 2], default = 1 }
idle = { values = [1, 2], default = 1 }
ruled = { values = [1, 2], default = 1 }
level = { values = [1, 2], default = 1 }
launched = { values = [1, 2], default = 1 }
[arguments]
x = { access = "in", type = "element", count = "n" }
[[launch]]
entry = "k"
arguments = ["x"]
grid = "launched"
*/
void k(const float* x) { ghostly(x, block); }
)";

TEST(UnusedNames, NamesWhatNothingDependsOn) {
    std::vector<std::string> found;
    for (const Finding& finding : unused_names(KernelTemplate({"k.cu", kIdle, {}}))) {
        EXPECT_EQ(finding.level, Finding::Level::warning);
        found.push_back(finding.place + ": " + finding.text);
    }
    const std::vector<std::string> expected{
        "k.cu:16: nothing depends on parameter idle: the search tries each of its values in vain",
        "k.cu:17: nothing depends on parameter ruled but constraints: the search tries each of its "
        "values in vain",
        "k.cu:10: nothing depends on type parameter mode",
        "k.cu:4: nothing depends on size m",
        "k.cu:15: defines makes ghost a macro, which the code does not name",
    };
    EXPECT_EQ(found, expected);
}

TEST(UnusedNames, SeesTheNamesThatTexturesUse) {
    const KernelTemplate kernel(
        {"k.cu",
         "/* jitune template\nkernel = \"k\"\nbackend = \"cuda\"\nsizes = [\"w\", \"h\", "
         "\"p\"]\n[parameters]\nb = { values = [1], default = 1 }\n[arguments]\n"
         "x = { access = \"in\", type = \"int8\", count = \"1\", texture = { width = \"w\", height "
         "= "
         "\"h\", pitch = \"p + b\" } }\n"
         "[[launch]]\nentry = \"k\"\narguments = [\"x\"]\n*/",
         {}});
    EXPECT_TRUE(unused_names(kernel).empty());
}

}  // namespace
}  // namespace jitune::internal
