// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

// Named as a source of plans is, which must not be taken for it.
const char* const kPlannedTemplate = R"(/* jitune template
kernel = "worklist"
backend = "host"
sizes = ["n", "m"]
[types.element]
int32 = "int"
float32 = "float"
[parameters]
unroll = { values = [1, 2], default = 1 }
[arguments]
in = { access = "in", type = "element", count = "n * m" }
out = { access = "out", type = "element", count = "n * m" }
count = { access = "scalar", type = "int64", value = "n * m" }
[[launch]]
entry = "scale"
template = ["element", "unroll"]
arguments = ["out", "in", "count"]
[reference]
host = "scale_plainly"
template = ["element"]
arguments = ["out", "in", "count"]
*/
#include "parts/factor.h"
template <class T, int kUnroll>
void scale(T* out, const T* in, long count) {
    for (long i = 0; i < count; i += kUnroll) {
        for (long k = i; k < i + kUnroll && k < count; ++k) out[k] = FACTOR * in[k];
    }
}
#ifdef JITUNE_HOST
#include "plain.h"
#endif
)";

const char* const kPlainHeader = R"(#include "parts/factor.h"
template <class T>
void scale_plainly(T* out, const T* in, long count) {
    for (long i = 0; i < count; ++i) out[i] = FACTOR * in[i];
}
)";

/// A plan of a kernel of one's own, p, whose template needs two headers.
class CliKernelPlan : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        fs::create_directories(path("code/parts"));
        write("code/scale.host.cpp", kPlannedTemplate);
        write("code/parts/factor.h", "#define FACTOR 3\n");
        write("code/plain.h", kPlainHeader);
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
    }

    /// `sweep` of the template, with these arguments.
    [[nodiscard]] static std::string sweep(const std::string& arguments = "--plan \"$folder/p\"") {
        return "sweep \"$folder/code/scale.host.cpp\" --size n=10,2^7 --size m=4 --multiple-of 2 "
               "--option -DUNUSED --budget 0.3 " +
               arguments;
    }

    /// The keys of the winners in a database.
    [[nodiscard]] std::set<std::string> keys(const std::string& database) const {
        const json list = jitune_json("db list --db \"$folder/" + database + "\"");
        std::set<std::string> keys;
        for (const json& row : list["winners"]) {
            keys.insert(row["key"].dump());
        }
        return keys;
    }

    /// Puts `to` in the place of `from` in template.json.
    void change(const std::string& from, const std::string& to) const {
        std::string text = contents(path("p/template.json"));
        ASSERT_NE(text.find(from), std::string::npos) << from << "\n" << text;
        text.replace(text.find(from), from.size(), to);
        write("p/template.json", text);
    }
};

TEST_F(CliKernelPlan, TasksWithoutTheFilesDoTheProblemsOfASweep) {
    ASSERT_EQ(jitune(sweep("--db \"$folder/one.db\"")).code, 0);
    const json planned = jitune_json(sweep());
    EXPECT_EQ(planned["kernel"], "worklist");
    EXPECT_EQ(planned["problems"], 4);
    fs::remove_all(path("code"));
    const Answer both = shell(
        "\"$jitune\" sweep work \"$folder/p\" >\"$folder/first\" & "
        "\"$jitune\" sweep work \"$folder/p\" --device host >\"$folder/second\"; code=$?; wait; "
        "exit $code");
    EXPECT_EQ(both.code, 0) << both.err << contents(path("second"));
    const json found = jitune_json("sweep collect \"$folder/p\"");
    EXPECT_EQ(found["classes"][0]["done"], 4) << found;
    EXPECT_EQ(keys("tuning.db").size(), 4U);
    EXPECT_EQ(keys("tuning.db"), keys("one.db"));
}

TEST_F(CliKernelPlan, RefusesAnotherTemplateThanThePlanned) {
    ASSERT_EQ(jitune(sweep()).code, 0);
    const std::string right = contents(path("p/template.json"));
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
             {"FACTOR * in[k]", "2 + in[k]"},
             {"#define FACTOR 3", "#define FACTOR 4"},
             {"FACTOR * in[i]", "5 + in[i]"},
             {"-DUNUSED", "-DOTHER"},
             {"\"multiple_of\": 2", "\"multiple_of\": 1"},
             {"n=10,2^7", "n=12,2^7"}}) {
        change(from, to);
        expect_failure("sweep work \"$folder/p\"", 2, "holds another template");
        write("p/template.json", right);
    }
    change("parts/factor.h\",", "../factor.h\",");
    expect_failure("sweep work \"$folder/p\"", 2, "use a relative name without");
    const Answer collected = jitune("sweep collect \"$folder/p\"");
    EXPECT_EQ(collected.code, 4) << collected.err;
    EXPECT_EQ(collected.out, "no task has begun: all of the 4 problems wait\n");
}

TEST_F(CliKernelPlan, RefusesATemplateFileThatIsDamagedOrOfOthers) {
    ASSERT_EQ(jitune(sweep()).code, 0);
    const std::string right = contents(path("p/template.json"));
    change("\"multiple_of\": 2", "\"multiple_of\": 0");
    expect_failure("sweep work \"$folder/p\"", 2, "\"multiple_of\" is below 1");
    write("p/template.json", right);
    change("\"-DUNUSED\"", "7");
    expect_failure("sweep work \"$folder/p\"", 2, "\"options\" must be a list of texts");
    write("p/template.json", "{");
    expect_failure("sweep work \"$folder/p\"", 2,
                   "template.json:1:2: the JSON document is incomplete");
    write("p/template.json", right);
    for (const char* name : {"p/plan.json", "p/template.json"}) {
        fs::permissions(path(name), fs::perms(0666));
        expect_failure("sweep work \"$folder/p\"", 2, "others may write to it: plan again");
        fs::permissions(path(name), fs::perms(0644));
    }
    fs::permissions(path("p/template.json"), fs::perms(0666));
    expect_failure("sweep work \"$folder/p\"", 2, "others may write to it: plan again");
    fs::remove(path("p/template.json"));
    write("elsewhere", right);
    fs::create_symlink(path("elsewhere"), path("p/template.json"));
    expect_failure("sweep work \"$folder/p\"", 2, "template.json is missing");
}

TEST_F(CliKernelPlan, AWorkListReadsHeadersWhereTheAppHasThem) {
    ASSERT_EQ(jitune(sweep("--type element=int32 --db \"$folder/one.db\"")).code, 0);
    const json winner = jitune_json("db list --db \"$folder/one.db\"")["winners"][0];
    const json miss{{"key", winner["key"]},
                    {"sizes", winner["sizes"]},
                    {"origin", "default"},
                    {"configuration", "unroll=1"},
                    {"calls", 5},
                    {"sessions", 1},
                    {"device_name", "a CPU"},
                    {"first_at", "2026-11-20T16:00:00Z"},
                    {"last_at", "2026-11-20T16:00:00Z"},
                    {"kernel_spec",
                     {"file", "scale.host.cpp", kPlannedTemplate, path("code"), "", "-DUNUSED"}}};
    write("work.json", json{{"worklist", {miss}}}.dump());
    ASSERT_EQ(jitune("worklist import \"$folder/work.json\"").code, 0);
    ASSERT_EQ(jitune("sweep worklist --device host --budget 0.3 --plan \"$folder/p\"").code, 0);
    fs::remove(path("code/scale.host.cpp"));
    EXPECT_EQ(jitune("sweep work \"$folder/p\"").code, 0);
    EXPECT_EQ(jitune_json("sweep collect \"$folder/p\"")["classes"][0]["done"], 1);
    const json tuned = jitune_json("db list")["winners"];
    ASSERT_FALSE(tuned.empty());
    EXPECT_EQ(tuned[0]["key"]["template_hash"], winner["key"]["template_hash"]);
}

TEST_F(CliKernelPlan, RefusesWhatOtherMachinesLack) {
    const auto refused = [&](const std::string& from, const std::string& to,
                             const std::string& reason) {
        std::string text = kPlannedTemplate;
        text.replace(text.find(from), from.size(), to);
        write("code/scale.host.cpp", text);
        expect_failure(sweep(), 2, reason);
        EXPECT_FALSE(fs::exists(path("p"))) << reason;
    };
    refused("count = \"n * m\" }\nout", "count = \"n * m\", fill = \"x_{n}.npy\" }\nout",
            "its array in is filled from the file x_{n}.npy");
    refused(
        "host = \"scale_plainly\"\ntemplate = [\"element\"]\narguments = [\"out\", \"in\", "
        "\"count\"]",
        "npy = { out = \"right.npy\" }", "its [reference] reads right.npy");
    refused("sizes =", "include_folders = [\"parts\"]\nsizes =", "it has include_folders");
    refused("#ifdef", "// \xe9\n#ifdef", "is not UTF-8");
    write("code/scale.host.cpp", kPlannedTemplate);
    expect_failure(sweep() + " --device host:1", 2, "--device host:1");
    expect_failure(sweep() + " --again", 2, "--again");
    expect_failure(sweep() + " --size k=1", 2, "no size \"k\"");
}

}  // namespace
}  // namespace jitune::internal
