// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fixtures/made_table.hpp"
#include "fixtures/store_fixture.hpp"
#include "report/page.hpp"
#include "report/rates.hpp"
#include "text/units.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

using Wants = std::function<bool(const RecordKey&)>;

bool wants_all(const RecordKey& /*key*/) {
    return true;
}

class Report : public StoreFixture {
protected:
    ReportData gather(const Wants& wants = wants_all, const std::string& filters = "") {
        return gather_report(*store_, store_->winners(), {"tuning.db", filters, wants});
    }
    std::string page(const Wants& wants = wants_all) { return report_page(gather(wants)); }

    void fill(int candidates = 60) {
        MadeTable table(*store_, candidates);
        for (const MadeKernel& kernel : MadeTable::usual_kernels()) {
            table.add(kernel);
        }
    }

    std::unique_ptr<TuningStore> store_ = TuningStore::in_memory(log_);
};

bool has(const std::string& page, const std::string& text) {
    return page.find(text) != std::string::npos;
}

std::string section(const std::string& page, const std::string& id) {
    const auto begin = page.find("<section id=\"" + id + "\"");
    return page.substr(begin, page.find("</section>", begin) - begin);
}

std::vector<std::string> all_of(const std::string& page, const std::string& pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator one(page.begin(), page.end(), expression), end; one != end; ++one) {
        found.push_back((*one)[1]);
    }
    return found;
}

TEST_F(Report, HasItsSectionsInOrderEvenOfNothing) {
    const std::vector<std::string> order{"use",      "rates", "sizes",
                                         "problems", "noise", "provenance"};
    EXPECT_EQ(all_of(page(), "<section id=\"(\\w+)\""), order);
    EXPECT_TRUE(has(page(), "The table has no winner yet."));
    fill();
    EXPECT_EQ(all_of(page(), "<section id=\"(\\w+)\""), order);
}

TEST_F(Report, TellsWhatMergesChanged) {
    EXPECT_FALSE(has(page(), "What merges changed"));
    const auto other = TuningStore::in_memory(log_);
    MadeTable table(*other, 5);
    table.add(MadeTable::usual_kernels().front());
    store_->merges().add(other->merges(), {});
    const std::string html = section(page(), "provenance");
    EXPECT_TRUE(has(html, "What merges changed"));
    EXPECT_TRUE(has(html, "not taken"));
}

TEST_F(Report, TellsWhichWinnersArePinnedAndWhatChoseThem) {
    fill();
    EXPECT_FALSE(has(page(), "Pinned winner"));
    Winner choice = store_->with_image(gather().problems.at(0).winner.value()).value();
    choice.certainty.conditions += " objective=energy";
    ASSERT_TRUE(store_->save_choice(choice, exact_sizes(choice.sizes).value()));
    const std::string html = page();
    EXPECT_TRUE(has(section(html, "provenance"), "Pinned winners: they serve"));
    EXPECT_TRUE(has(section(html, "provenance"), ">energy</td>"));
    EXPECT_TRUE(has(section(html, "problems"), "Pinned winner, chosen by energy: <code>"));
}

TEST_F(Report, SaysTheTimesThatAreStored) {
    fill();
    const ReportData data = gather();
    const std::string html = section(page(), "problems");
    int winners = 0;
    for (const TriedProblem& problem : data.problems) {
        const auto sizes = exact_sizes(problem.sizes);
        ASSERT_TRUE(sizes);
        const auto stored = store_->find(problem.key, *sizes);
        const bool is_shown = has(html, ", " + problem.sizes);  // as far as there is room
        if (is_shown && stored && stored->sizes == problem.sizes) {
            ++winners;
            EXPECT_TRUE(has(html, time_text(stored->median_ns) + " there")) << problem.sizes;
            EXPECT_TRUE(has(html, stored->configuration));
        }
    }
    EXPECT_GT(winners, 3);
}

TEST_F(Report, LoadsNothingAndHasNoHandlersWithin) {
    fill();
    const std::string html = page();
    EXPECT_TRUE(has(html, "default-src 'none'; style-src 'sha256-"));
    EXPECT_TRUE(all_of(html, "[ \"'](on[a-z]+=|style=|src=|https?:)").empty());
    EXPECT_EQ(all_of(html, "(<script)").size(), 1U);
    for (const std::string& link : all_of(html, "href=\"([^\"]*)\"")) {
        EXPECT_EQ(link[0], '#');
    }
}

TEST_F(Report, NamesNoIdTwice) {
    fill();
    const std::vector<std::string> ids = all_of(page(), " id=\"([^\"]*)\"");
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST_F(Report, SaysTheFiguresOfTheUsage) {
    fill();
    const ReportData data = gather();
    const std::string use = section(report_page(data), "use");
    std::int64_t stored = data.usage.origins.at("stored");
    EXPECT_TRUE(has(use, ">" + std::to_string(stored) + "</td>"));
    EXPECT_TRUE(has(use, std::to_string(data.usage.calls) + " calls recorded from 2026-11-21 to"));
    EXPECT_EQ(data.holes.size(), MadeTable::usual_kernels().size());
}

TEST_F(Report, DrawsRatesAgainstTheCeilingThatIsStored) {
    fill();
    const ReportData data = gather();
    const Ceiling& ceiling = data.ceilings.at(MadeTable::kClass);
    ASSERT_TRUE(ceiling.peak);
    EXPECT_NEAR(*ceiling.peak, 4916.7, 0.1);
    ASSERT_TRUE(ceiling.measured);
    EXPECT_EQ(ceiling.measured_at.substr(0, 6), "reduce");
    const std::string rates = section(report_page(data), "rates");
    EXPECT_TRUE(has(rates, "memory, measured 4"));
    EXPECT_TRUE(has(rates, "Time over the number of elements: matmul float32"))
        << "jitune does not know the bytes of a user's kernel";
}

TEST_F(Report, SaysWhereNoCeilingIsStored) {
    Winner small = winner_of(40);
    small.key.device_class = "host isa=avx2 cores=2 cache=33554432";
    store_->save({}, small);
    EXPECT_TRUE(has(section(page(), "rates"), "no ceiling is stored"));
}

TEST_F(Report, MapsOneTwoAndThreeSizes) {
    fill();
    const ReportData data = gather();
    const std::string sizes = section(report_page(data), "sizes");
    EXPECT_EQ(data.maps.size(), MadeTable::usual_kernels().size());
    EXPECT_TRUE(has(sizes, ">columns</text>"));
    EXPECT_TRUE(has(sizes, ">product of the sizes</text>"));
    EXPECT_TRUE(has(sizes, " serves\">1.00</td>"));
}

TEST_F(Report, ShowsFailuresByReasonAndTheEffectOfParameters) {
    fill();
    const std::string tried = section(page(), "problems");
    EXPECT_TRUE(has(tried, "error: too much shared data"));
    EXPECT_FALSE(has(tried, "more lines"));
    EXPECT_TRUE(has(tried, "<code>items_per_thread</code>"));
    EXPECT_TRUE(has(section(page(), "noise"), "clocks changed"));
    EXPECT_TRUE(has(section(page(), "noise"), "processors contended"));
}

TEST_F(Report, TellsCurrentTemplatesFromStaleAndForeignOnes) {
    fill();
    EXPECT_FALSE(has(section(page(), "provenance"), "stale"));
    EXPECT_TRUE(has(section(page(), "provenance"), "a kernel of your own"));
    store_->save({}, winner_of(40));
    EXPECT_TRUE(has(section(page(), "provenance"), "stale: this build has another template"));
    EXPECT_TRUE(has(page(), "serve no call of this build"));
}

TEST_F(Report, ShowsWhatTheFilterLeaves) {
    fill();
    const Wants stencils = [](const RecordKey& key) { return key.kernel == "stencil"; };
    const std::string html = report_page(gather(stencils, "--kernel stencil"));
    EXPECT_TRUE(has(html, "Only <code>--kernel stencil</code>"));
    EXPECT_FALSE(has(html, "matmul"));
    const ReportData none = gather([](const RecordKey&) { return false; }, "--op <x>");
    EXPECT_TRUE(has(report_page(none), "No winner matches the filters."));
    EXPECT_TRUE(has(report_page(none), "--op &lt;x&gt;"));
}

TEST_F(Report, EscapesEveryTextOfTheDatabase) {
    const std::string hostile = "</script><img src=x onerror=alert(1)>\"'&\xff\xe2\x80\xae";
    Winner winner = winner_of(40);
    winner.key.kernel = winner.key.types = winner.key.device_class = hostile;
    winner.key.template_hash = winner.configuration = hostile;
    winner.provenance = {hostile, hostile, hostile, hostile, hostile};
    winner.certainty.conditions = "cpu=contended objective=<img>";
    Measurement timed = measurement_of(40);
    timed.key = winner.key;
    timed.sizes = winner.sizes;
    timed.configuration = hostile + "=" + hostile;
    timed.provenance = winner.provenance;
    Measurement failed = timed;
    failed.verdict = Verdict::crashed;
    failed.samples_ns.clear();
    failed.reason = failed.configuration = hostile;
    Measurement final = timed;
    final.conditions = "interleaved";
    store_->save(std::vector{timed, failed, final}, winner);
    store_->pin(winner_id(winner), true);
    CallRecord usage{winner.key, winner.sizes, hostile, "stored", hostile, 3,
                     1,          hostile,      hostile, hostile};
    Pause pause{hostile, hostile, hostile, hostile, 3, 2000, hostile, hostile, hostile};
    store_->calls().add({.calls = {usage}, .pauses = {pause}});
    const std::string html = page();
    EXPECT_FALSE(has(html, "<img"));
    EXPECT_FALSE(has(html, "\xff"));
    EXPECT_FALSE(has(html, "\xe2\x80\xae"));
    EXPECT_EQ(all_of(html, "(</script>)").size(), 1U);
    EXPECT_TRUE(has(html, "&lt;img src=x onerror=alert(1)&gt;"));
    EXPECT_TRUE(has(html, "chosen by &lt;img&gt;"));
    EXPECT_TRUE(has(html, "pinned: no tuning replaces it"));
}

TEST_F(Report, StaysSmallWhateverTheDatabaseHolds) {
    MadeTable table(*store_, 120);
    const std::string filler(5000, '"');  // of which HTML takes six bytes each
    for (int i = 0; i < 12; ++i) {
        for (MadeKernel kernel : MadeTable::usual_kernels()) {
            kernel.types += fmt::format(" round={} {}", i, filler);
            kernel.setting = " note=" + filler;
            kernel.sizes.resize(2);
            table.add(kernel);
        }
    }
    const ReportData data = gather();
    const std::string html = report_page(data);
    EXPECT_LE(html.size(), kMostPageBytes);
    EXPECT_TRUE(has(html, "more problems: filter with --kernel"));
    EXPECT_TRUE(has(html, "more maps: filter with --kernel"));
    EXPECT_EQ(html.substr(html.size() - 8), "</html>\n");
}

TEST_F(Report, TakesWinnersThatLackThings) {
    Winner bare = winner_of(40);
    bare.default_median_ns = 0;
    bare.certainty = {};
    store_->save({}, bare);
    const std::string html = page();
    EXPECT_TRUE(all_of(html, "[^a-z](nan|inf)[^a-z]").empty());
    EXPECT_FALSE(has(html, "median speed-up")) << "no default has a time";
    EXPECT_TRUE(has(html, "No comparison between sizes is stored."));
    EXPECT_TRUE(has(html, "No measurement of a search is stored."));
}

TEST_F(Report, TakesMissesAlone) {
    CallRecord miss{key_of(20),
                    "n=1024",
                    "block=64",
                    "default",
                    "",
                    7,
                    1,
                    "NVIDIA H200",
                    "2026-11-20T16:00:00Z",
                    "2026-11-20T16:00:00Z",
                    "a spec"};
    store_->calls().add({.calls = {miss}});
    const std::string html = page();
    EXPECT_TRUE(has(html, "The table has no winner yet."));
    EXPECT_TRUE(has(section(html, "use"), "n=1024"));
}

}  // namespace
}  // namespace jitune::internal
