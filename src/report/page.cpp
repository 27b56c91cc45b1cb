// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "jitune/version.hpp"
#include "report/html.hpp"
#include "report/section.hpp"

namespace jitune::internal {

namespace {

std::uint32_t byte_at(std::string_view hex, std::size_t place) {
    std::uint32_t value = 0;
    if (2 * place + 1 < hex.size()) {
        std::from_chars(hex.data() + 2 * place, hex.data() + 2 * place + 2, value, 16);
    }
    return value;
}

/// Base64 of the bytes that hexadecimal digits spell.
std::string base64_of(std::string_view hex) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t bytes = hex.size() / 2;
    std::string text;
    for (std::size_t i = 0; i < bytes; i += 3) {
        const std::uint32_t group =
            byte_at(hex, i) << 16 | byte_at(hex, i + 1) << 8 | byte_at(hex, i + 2);
        for (std::size_t digit = 0; digit < 4; ++digit) {
            const bool padding = i + digit > bytes;
            text += padding ? '=' : kDigits[group >> (18 - 6 * digit) & 63];
        }
    }
    return text;
}

struct SectionRow {
    std::string_view id;
    std::string_view title;
    std::string_view short_title;  ///< in the list of sections
    std::size_t bytes;             ///< the most that it may have
    std::string (*html)(const ReportData& data, Allowance& room);
};

/// In the order of the page. The bytes leave room for the rest within kMostPageBytes.
constexpr std::array kSections{
    SectionRow{"use", "Is the table used?", "Use", 120'000, use_section},
    SectionRow{"rates", "How fast are the winners?", "Rates", 210'000, rate_section},
    SectionRow{"sizes", "Which winner serves which sizes?", "Sizes", 200'000, map_section},
    SectionRow{"problems", "What was tried?", "Tried", 250'000, problem_section},
    SectionRow{"noise", "How sure are the times?", "Noise", 80'000, noise_section},
    SectionRow{"provenance", "Where does it come from?", "Provenance", 90'000, provenance_section},
};

const embedded::File& asset(std::string_view name) {
    for (const embedded::File& file : embedded::report_assets) {
        if (file.name == name) {
            return file;
        }
    }
    return embedded::report_assets.front();
}

/// Nothing is loaded, and no script or style runs but those of this page.
std::string head_of(const ReportData& data) {
    const embedded::File& style = asset("page.css");
    const embedded::File& script = asset("page.js");
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta name=\"generator\" content=\"jitune {}\"/>\n"
        "<title>jitune: {}</title>\n<style>{}</style>\n</head>\n",
        content_hash(style), content_hash(script), JITUNE_VERSION_STRING, escaped(data.database),
        style.text);
}

std::string header_of(const ReportData& data) {
    std::string html =
        fmt::format("<header>\n<p class=\"origin\">jitune {} · {}</p>\n<h1>{}</h1>\n",
                    JITUNE_VERSION_STRING, escaped(data.made_at), escaped(data.database));
    if (!data.filters.empty()) {
        html += fmt::format("<p class=\"note\">Only <code>{}</code></p>\n", escaped(data.filters));
    }
    html += summary_of(data) + "<nav aria-label=\"Sections\"><ul>";
    for (const SectionRow& section : kSections) {
        html += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, section.short_title);
    }
    return html + "</ul></nav>\n</header>\n";
}

}  // namespace

std::string content_hash(const embedded::File& file) {
    return "sha256-" + base64_of(file.sha256);
}

std::string report_page(const ReportData& data) {
    std::string page = head_of(data) +
                       "<body>\n<a class=\"skip\" href=\"#main\">To the report</a>\n" +
                       header_of(data) + "<main id=\"main\">\n";
    for (const SectionRow& section : kSections) {
        Allowance room(section.bytes);
        page += fmt::format(
            "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n"
            "<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
            section.id, section.title, section.html(data, room));
    }
    return page +
           fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", asset("page.js").text);
}

}  // namespace jitune::internal
