// SPDX-License-Identifier: Apache-2.0

#include <set>

#include <gtest/gtest.h>

#include "template/kernel_template.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {
namespace {

/// All built-in templates.
std::vector<std::string> template_names() {
    std::vector<std::string> names;
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name.ends_with(".cu") || file.name.ends_with(".cpp")) {
            names.emplace_back(file.name);
        }
    }
    return names;
}

TEST(TemplateIdentity, IsTheOneUnderWhichEachTemplateIsKnown) {
    const auto& hashes = template_identities().hashes;
    for (const std::string& name : template_names()) {
        ASSERT_TRUE(hashes.contains(name)) << "identities.toml has no hash of " << name;
        EXPECT_EQ(KernelTemplate(builtin_template(name)).hash(), hashes.at(name))
            << name << " has changed: its stored winners would be lost; see identities.toml";
    }
    EXPECT_EQ(hashes.size(), template_names().size());
}

TEST(TemplateIdentity, EveryPassageStandsOnceInEachOfItsFiles) {
    for (const RewrittenPassage& passage : template_identities().passages) {
        EXPECT_NE(passage.present, passage.known);
        for (const std::string& file : passage.files) {
            auto text = builtin_file(file);
            text = text ? text : builtin_header(file);
            ASSERT_TRUE(text) << "identities.toml names " << file << ", which is not there";
            const std::size_t at = text->find(passage.present);
            ASSERT_NE(at, std::string::npos)
                << file << " no longer has this passage of identities.toml: remove it or write it "
                << "as it is now:\n"
                << passage.present;
            EXPECT_EQ(text->find(passage.present, at + 1), std::string::npos) << passage.present;
        }
    }
}

TEST(TemplateIdentity, ChangesWithAnyOtherText) {
    const TemplateSource source = builtin_template("reduce.cu");
    const std::string known = template_identity(source);
    TemplateSource other = source;
    other.text += "\n";
    EXPECT_NE(template_identity(other), known);
    for (std::size_t i = 0; i < source.headers.size(); ++i) {
        other = source;
        other.headers[i].second += "\n";
        EXPECT_NE(template_identity(other), known) << other.headers[i].first;
        other = source;
        other.headers[i].first += "x";
        EXPECT_NE(template_identity(other), known) << source.headers[i].first;
    }
}

TEST(TemplateIdentity, PutsBackAPassageThatStandsOnceInAFileOfItsName) {
    const std::vector<RewrittenPassage> passages{
        {{"one.cu", "one.h"}, "sum(a, b)", "a + b"},
        {{"one.cu"}, "// new\n", ""},
    };
    TemplateSource source;
    source.name = "one.cu";
    source.text = "// new\nreturn sum(a, b);";
    source.headers = {{"one.h", "sum(a, b); sum(a, b);"}, {"other.h", "sum(a, b);"}};
    const TemplateSource known = with_known_passages(source, passages);
    EXPECT_EQ(known.text, "return a + b;");
    EXPECT_EQ(known.headers[0].second, source.headers[0].second) << "stands twice";
    EXPECT_EQ(known.headers[1].second, source.headers[1].second) << "is not named";
    source.name = "mine.cu";
    EXPECT_EQ(with_known_passages(source, passages).text, source.text);
}

}  // namespace
}  // namespace jitune::internal
