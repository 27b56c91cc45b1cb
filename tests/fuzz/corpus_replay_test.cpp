// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "support/text_file.hpp"

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

// The fuzz targets, by the names that CMakeLists.txt gives them here.
extern "C" {
int fuzz_custom(const std::uint8_t* data, std::size_t size);
int fuzz_database_row(const std::uint8_t* data, std::size_t size);
int fuzz_expression(const std::uint8_t* data, std::size_t size);
int fuzz_formula(const std::uint8_t* data, std::size_t size);
int fuzz_front_matter(const std::uint8_t* data, std::size_t size);
int fuzz_json(const std::uint8_t* data, std::size_t size);
int fuzz_npy(const std::uint8_t* data, std::size_t size);
int fuzz_plan_name(const std::uint8_t* data, std::size_t size);
int fuzz_sizes(const std::uint8_t* data, std::size_t size);
int fuzz_source_scanner(const std::uint8_t* data, std::size_t size);
int fuzz_measurement_journal(const std::uint8_t* data, std::size_t size);
int fuzz_worker_message(const std::uint8_t* data, std::size_t size);
}

namespace jitune::internal {
namespace {

struct Format {
    const char* name;
    FuzzTarget target;

    friend std::ostream& operator<<(std::ostream& out, const Format& format) {
        return out << format.name;
    }
};

constexpr std::array kFormats{
    Format{"custom", fuzz_custom},
    Format{"database_row", fuzz_database_row},
    Format{"expression", fuzz_expression},
    Format{"formula", fuzz_formula},
    Format{"front_matter", fuzz_front_matter},
    Format{"json", fuzz_json},
    Format{"npy", fuzz_npy},
    Format{"plan_name", fuzz_plan_name},
    Format{"sizes", fuzz_sizes},
    Format{"source_scanner", fuzz_source_scanner},
    Format{"measurement_journal", fuzz_measurement_journal},
    Format{"worker_message", fuzz_worker_message},
};

class CorpusReplay : public testing::TestWithParam<Format> {};

/// What the fuzzer has found stays mended, also where there is no clang.
TEST_P(CorpusReplay, HasNoFindings) {
    int inputs = 0;
    const auto folder = std::filesystem::path(JITUNE_FUZZ_CORPUS) / GetParam().name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path());
        const MappedFile file(entry.path());
        const auto* const data = reinterpret_cast<const std::uint8_t*>(file.bytes().data());
        EXPECT_NO_THROW(GetParam().target(data, file.bytes().size()));
        ++inputs;
    }
    EXPECT_GT(inputs, 1);
}

INSTANTIATE_TEST_SUITE_P(Formats, CorpusReplay, testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(format.param.name); });

TEST(CorpusReplay, KnowsEachFormatThatHasACorpus) {
    const std::filesystem::directory_iterator folders(JITUNE_FUZZ_CORPUS);
    EXPECT_EQ(static_cast<std::size_t>(std::distance(begin(folders), end(folders))),
              kFormats.size());
}

}  // namespace
}  // namespace jitune::internal
