// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"
#include "support/log.hpp"
#include "template/kernel_template.hpp"
#include "template/template_headers.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {
namespace {

/// `jitune db rules` on a made database: lanes=4 is best for few bytes, lanes=16 for many, lanes=8,
/// the default, at neither.
class CliRules : public CliFixture {
protected:
    static constexpr const char* kClass =
        "host isa=avx2,sse2 flags=0123456789abcdef model=Maker/6/1/1 cores=8 cache=33554432";

    void write_template(const std::string& rules = "") const {
        std::ofstream(path("scale.host.cpp")) << R"(/* jitune template
kernel = "scale"
backend = "host"
sizes = ["n"]
constraints = ["lanes <= n"]
[types.element]
int8 = "signed char"
float32 = "float"
[parameters]
lanes = { values = [4, 8, 16], default = 8 }
mode = { values = ["plain", "ahead"], default = "plain", type = "Mode" }
[derived]
bytes = "n * element_bytes"
[arguments]
values = { access = "in", type = "element", count = "n" }
sums = { access = "out", type = "element", count = "n" }
)" << rules << R"([[launch]]
entry = "scale"
template = ["lanes", "mode"]
arguments = ["values", "sums"]
grid = "1"
block = "1"
[reference]
entry = "scale_plainly"
arguments = ["values", "sums"]
grid = "1"
block = "1"
*/
)";
    }

    [[nodiscard]] std::string hash() const {
        return KernelTemplate({"scale.host.cpp", contents(path("scale.host.cpp")), {}}).hash();
    }

    static Measurement measurement(const std::string& kernel, const std::string& types,
                                   const std::string& hash, const std::string& device_class,
                                   std::int64_t n, const std::string& configuration, double time_ns,
                                   const std::string& conditions = "l2=cold interleaved") {
        Measurement one;
        one.key = {{kernel, types, device_class, 16, hash},
                   size_bucket(std::vector<std::int64_t>{n})};
        one.sizes = fmt::format("n={}", n);
        one.configuration = configuration;
        one.conditions = conditions;
        one.samples_ns = {time_ns, time_ns, time_ns};
        one.provenance = {"Maker CPU", "", "Linux 6.1", "c++", "2026-11-20T16:00:00Z"};
        return one;
    }

    /// Of one type, at 2^8, 2^9 … 2^19.
    static std::vector<Measurement> of_type(const std::string& element, int bytes,
                                            const std::string& hash,
                                            const std::string& device_class = kClass) {
        std::vector<Measurement> result;
        for (int power = 8; power < 20; ++power) {
            const std::int64_t n = std::int64_t{1} << power;
            const bool is_small = n * bytes <= 16384;
            for (const auto& [configuration, factor] :
                 {std::pair("lanes=4 mode=plain", is_small ? 1.0 : 2.0),
                  std::pair("lanes=8 mode=plain", 1.5),
                  std::pair("lanes=16 mode=ahead", is_small ? 3.0 : 1.0)}) {
                result.push_back(measurement("scale", "element=" + element, hash, device_class, n,
                                             configuration, factor * static_cast<double>(n)));
            }
        }
        return result;
    }

    void save(const std::vector<Measurement>& measurements) const {
        TuningStore::open(path("tuning.db"), TuningStore::Access::read_write, Log())
            ->save(measurements);
    }

    [[nodiscard]] std::string rules() const { return "db rules " + path("scale.host.cpp"); }
};

TEST_F(CliRules, ProposesTablesThatTheTemplateReadsAsTheyAreMeant) {
    write_template();
    save(of_type("float32", 4, hash()));
    save(of_type("int8", 1, hash()));
    const json before = jitune_json(rules())["templates"].at(0);
    EXPECT_EQ(before["template_hash"], hash());
    ASSERT_EQ(before["rules"].size(), 2U) << before.dump(2);
    EXPECT_EQ(before["rules"][0]["when"], "bytes <= 16384");
    EXPECT_EQ(before["rules"][0]["values"], (json{{"lanes", 4}}));
    EXPECT_EQ(before["rules"][1]["when"], "");
    EXPECT_EQ(before["rules"][1]["values"], (json{{"lanes", 16}, {"mode", "ahead"}}));
    EXPECT_DOUBLE_EQ(before["losses"]["parameters"]["geometric_mean"].get<double>(), 1.5);
    EXPECT_EQ(before["losses"]["template"], before["losses"]["parameters"]);
    EXPECT_EQ(before["losses"]["proposal"]["geometric_mean"], 1);
    EXPECT_EQ(before["losses"]["proposal"]["problems"], 24);
    ASSERT_EQ(before["left_out"].size(), 2U);
    EXPECT_EQ(before["left_out"][0]["types"], "element=float32");
    EXPECT_EQ(before["left_out"][0]["losses"]["problems"], 12);

    write_template(before["toml"]);
    EXPECT_EQ(before["template_hash"], hash()) << "winners would be lost";
    const json after = jitune_json(rules())["templates"].at(0);
    EXPECT_EQ(after["losses"]["template"], before["losses"]["proposal"]);
    EXPECT_EQ(after["losses"]["parameters"], before["losses"]["parameters"]);
    EXPECT_EQ(after["rules"], before["rules"]);

    const std::string text = jitune(rules()).out;
    EXPECT_NE(text.find(before["toml"]), std::string::npos) << text;
    EXPECT_NE(text.find("[[default]]\n# "), std::string::npos) << text;
    EXPECT_NE(text.find("parameters' defaults"), std::string::npos) << text;
    EXPECT_NE(text.find("template, 2 rules"), std::string::npos) << text;
    EXPECT_NE(text.find("\nwithout float32"), std::string::npos) << text;
    EXPECT_EQ(text.find("too little"), std::string::npos) << text;
    EXPECT_EQ(text.find("no table answers"), std::string::npos) << text;
    EXPECT_EQ(jitune_json(rules() + " --rules 1")["templates"].at(0)["rules"].size(), 1U);
}

TEST_F(CliRules, TimesOfFinalsAndComparisonsCountBeforeThoseOfTheSearch) {
    write_template();
    std::vector<Measurement> all = of_type("float32", 4, hash());
    for (Measurement one : of_type("float32", 4, hash())) {
        // A search that has it the other way round.
        one.conditions = "l2=cold";
        one.samples_ns.assign(3, one.configuration == "lanes=8 mode=plain" ? 1 : 1e9);
        all.push_back(one);
    }
    save(all);
    const json losses = jitune_json(rules())["templates"].at(0)["losses"];
    EXPECT_DOUBLE_EQ(losses["parameters"]["geometric_mean"].get<double>(), 1.5);
}

TEST_F(CliRules, SayWhatIsEstimatedAndWhereTooLittleIsMeasured) {
    write_template();
    std::vector<Measurement> all = of_type("float32", 4, hash());
    std::erase_if(all, [](const Measurement& one) {
        return one.sizes == "n=65536" ||  // a whole octave
               (one.sizes == "n=131072" && one.configuration.starts_with("lanes=16"));
    });
    save(all);
    save({measurement("scale", "element=int8", hash(), kClass, 1024, "lanes=8 mode=plain", 10)});
    const json found = jitune_json(rules())["templates"].at(0);
    EXPECT_EQ(found["losses"]["proposal"]["problems"], 12);
    EXPECT_EQ(found["losses"]["proposal"]["estimated"], 1);
    EXPECT_EQ(found["too_few"]["types"],
              (json::array({{{"types", "element=int8"}, {"sizes", 1}}})));
    EXPECT_EQ(found["too_few"]["octaves"],
              (json::array({{{"size", "n"}, {"from", 65536}, {"below", 131072}}})));
    const std::string text = jitune(rules()).out;
    EXPECT_NE(text.find("  n: no problem from 2^16 to 2^17\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  int8: 1 size\n"), std::string::npos) << text;
    const std::string of_one = jitune(rules() + " --type int8").out;
    EXPECT_NE(of_one.find("  in all: 1 size\n"), std::string::npos) << of_one;
}

TEST_F(CliRules, DeviceClassesAreLeftOutInTurnAndThoseThatNothingTellsOfAlways) {
    write_template();
    const std::string other = "host isa=avx512f flags=0 model=Maker/6/2/1 cores=96 cache=67108864";
    save(of_type("float32", 4, hash()));
    save(of_type("float32", 4, hash(), other));
    save(of_type("float32", 4, hash(), "abacus beads=10"));
    const Answer answer = jitune(rules() + " --json");
    ASSERT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.err.find("nothing tells of devices of the class \"abacus beads=10\""),
              std::string::npos)
        << answer.err;
    const json found = json::parse(answer.out)["templates"].at(0);
    EXPECT_EQ(found["problems"], 24);
    ASSERT_EQ(found["left_out"].size(), 2U) << found["left_out"].dump(2);
    EXPECT_EQ(found["left_out"][1]["device_class"], other);
    EXPECT_EQ(found["left_out"][0]["losses"]["geometric_mean"], 1);
    const json filtered = jitune_json(rules() + " --device-class cores=96")["templates"].at(0);
    EXPECT_EQ(filtered["problems"], 12);
    EXPECT_EQ(filtered["left_out"].size(), 0U);
}

TEST_F(CliRules, ABuiltInKernelHasATemplateForEachPlatform) {
    const std::string types =
        "accumulator=float32 determinism=run_to_run element=float32 operation=sum result=float32";
    const std::string gpu =
        "cuda cc=90 sm=132 l2=62914560 bus=6016 memclk=3201000 smem=232448 ecc=1 mps=0";
    const auto timed = [&](const std::string& file, const std::string& device_class, int n) {
        const KernelTemplate kernel(builtin_template(file));
        std::string configuration;
        for (const Parameter& parameter : kernel.front_matter().parameters) {
            configuration += fmt::format("{}{}={}", configuration.empty() ? "" : " ",
                                         parameter.name, to_string(parameter.default_value()));
        }
        return measurement("reduce", types, kernel.hash(), device_class, n, configuration, n);
    };
    save({timed("reduce.host.cpp", kClass, 1 << 20)});
    json found = jitune_json("db rules --kernel reduce")["templates"];
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["template"], "reduce.host.cpp");
    EXPECT_EQ(found[0]["rules"].size(), 0U);
    EXPECT_NE(jitune("db rules --kernel reduce").out.find("no rule is better"), std::string::npos);
    save({timed("reduce.cu", gpu, 1 << 20)});
    found = jitune_json("db rules --kernel reduce")["templates"];
    if (found.size() == 2U) {  // a build without CUDA knows no GPU by its class
        EXPECT_EQ(found[0]["template"], "reduce.cu");
        EXPECT_EQ(found[1]["template"], "reduce.host.cpp");
    }
    expect_failure("db rules --kernel reduce --op max", 2, "leave a filter out");
}

TEST_F(CliRules, RefusesWhatItCannotLearnFrom) {
    write_template();
    expect_failure(rules(), 3, "no database");
    save({measurement("other", "element=int8", hash(), kClass, 1024, "lanes=8", 10)});
    expect_failure(rules(), 2, "scale.host.cpp; take some with jitune sweep");
    save(of_type("float32", 4, "0123456789abcdef0123456789abcdef"));
    expect_failure(rules(), 2, "under another version of the template");
    save(of_type("float32", 4, hash(), "abacus beads=10"));
    const Answer unknown = jitune(rules());
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("can be used: take some with jitune sweep"), std::string::npos)
        << unknown.err;
    save(of_type("float32", 4, hash()));
    EXPECT_EQ(jitune(rules()).code, 0);
    expect_failure(rules() + " --type int8", 2, "match --type int8");
    expect_failure("db rules", 2, "name either a kernel template");
    expect_failure(rules() + " --kernel reduce", 2, "name either a kernel template");
    expect_failure("db rules --kernel scale", 2, "no built-in kernel is called \"scale\"");
    expect_failure(rules() + " --rules 13", 2, "--rules");
}

}  // namespace
}  // namespace jitune::internal
