// SPDX-License-Identifier: Apache-2.0
#include "families/own/npy.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

std::string little_endian(std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
        text += static_cast<char>(value >> 8 * i & 0xff);
    }
    return text;
}

std::string npy(const std::string& header, std::size_t data_bytes, int major = 1) {
    return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
           little_endian(header.size(), major == 1 ? 2 : 4) + header +
           std::string(data_bytes, '\0');
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

NpyHeader parse(const std::string& file) {
    return parse_npy(std::as_bytes(std::span(file)), "data.npy");
}

void expect_refusal(const std::string& file, const std::string& reason) {
    const std::string message = refusal([&] { return parse(file); });
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    EXPECT_NE(message.find("\"data.npy\""), std::string::npos) << message;
    EXPECT_NE(message.find("little-endian integers"), std::string::npos) << message;
}

TEST(Npy, ReadsEveryElementTypeThatNumpyHas) {
    const std::map<std::string, ElementType> types{
        {"'|b1'", ElementType::uint8},   {"'|i1'", ElementType::int8},
        {"'|u1'", ElementType::uint8},   {"'<i2'", ElementType::int16},
        {"'<u2'", ElementType::uint16},  {"'<i4'", ElementType::int32},
        {"'<u4'", ElementType::uint32},  {"'<i8'", ElementType::int64},
        {"'<u8'", ElementType::uint64},  {"'<f2'", ElementType::float16},
        {"'<f4'", ElementType::float32}, {"'<f8'", ElementType::float64},
    };
    for (const auto& [descr, type] : types) {
        const NpyHeader header = parse(npy(dictionary(descr, "(3,)"), 3 * bytes_of(type)));
        EXPECT_EQ(header.type, type) << descr;
        EXPECT_EQ(header.count, 3U) << descr;
    }
}

TEST(Npy, ReadsAllVersions) {
    for (const int major : {1, 2, 3}) {
        const std::string header = dictionary("'<f4'", "(2, 3)");
        const NpyHeader read = parse(npy(header, 24, major));
        EXPECT_EQ(read.count, 6U);
        EXPECT_EQ(read.data_offset, header.size() + (major == 1 ? 10 : 12));
    }
}

TEST(Npy, ReadsAnyShapeAndOrder) {
    EXPECT_EQ(parse(npy(dictionary("'<f8'", "()"), 8)).count, 1U);
    EXPECT_EQ(parse(npy(dictionary("'<f8'", "(0,)"), 0)).count, 0U);
    EXPECT_EQ(parse(npy(dictionary("'<f8'", "(4611686018427387904, 4, 0)"), 0)).count, 0U);
    const NpyHeader matrix = parse(npy(dictionary("'<f8'", "(2, 3, 4)", "True"), 192));
    EXPECT_EQ(matrix.shape, (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_TRUE(matrix.fortran_order);
}

TEST(Npy, ReadsHeadersOfOtherWriters) {
    EXPECT_EQ(parse(npy("{\"shape\":(2,),\"descr\":\"<i4\",\"fortran_order\":False}", 8)).count,
              2U);
    EXPECT_EQ(parse(npy("  { 'shape' : ( 2 , 1 ) , 'fortran_order' : False ,'descr':'<i4' }   ", 8))
                  .count,
              2U);
}

TEST(Npy, RefusesOtherElementTypes) {
    for (const char* descr : {"'>f4'", "'>u2'", "'|O'", "'<f16'", "'<c8'", "'<V2'", "'|b2'", "''",
                              "'<U3'", "'bfloat16'"}) {
        expect_refusal(npy(dictionary(descr, "(1,)"), 8), "element type");
    }
    expect_refusal(npy(dictionary("[('a', '<f4')]", "(1,)"), 4), "structured");
}

TEST(Npy, RefusesDataOfAnotherLength) {
    expect_refusal(npy(dictionary("'<f4'", "(3,)"), 11), "cut short");
    expect_refusal(npy(dictionary("'<f4'", "(3,)"), 0), "cut short");
    expect_refusal(npy(dictionary("'<f4'", "(3,)"), 13), "1 bytes after its data");
    expect_refusal(npy(dictionary("'<f4'", "(0,)"), 4), "4 bytes after its data");
}

TEST(Npy, RefusesShapesThatOverflow) {
    expect_refusal(npy(dictionary("'<f4'", "(4294967296, 4294967296)"), 4), "cut short");
    expect_refusal(npy(dictionary("'<f8'", "(2305843009213693952,)"), 8), "cut short");
    expect_refusal(npy(dictionary("'<f8'", "(99999999999999999999,)"), 8), "too large");
    expect_refusal(npy(dictionary("'<f8'", "(-1,)"), 8), "not a whole number");
    std::string deep = "(";
    for (int i = 0; i < 65; ++i) {
        deep += "1,";
    }
    expect_refusal(npy(dictionary("'<f8'", deep + ")"), 8), "64 dimensions");
}

TEST(Npy, RefusesDamagedHeaders) {
    for (const char* header :
         {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'descr': '<f4'}", "{'x': 1}",
          "{'descr: '<f4'}", "{'descr' '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': 1}"}) {
        EXPECT_NE(refusal([&] { return parse(npy(header, 4)); }), "") << header;
    }
}

TEST(Npy, RefusesEveryPrefixOfAFile) {
    const std::string file = npy(dictionary("'<f4'", "(3,)"), 12);
    for (std::size_t length = 0; length < file.size(); ++length) {
        EXPECT_NE(refusal([&] { return parse(file.substr(0, length)); }), "") << length;
    }
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
    expect_refusal(std::string("PK\x03\x04 a .npz file"), "not a .npy file");
    expect_refusal(npy(dictionary("'<f4'", "(1,)"), 4, 4), "version is 4.0");
    expect_refusal(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12), "claims");
}

class NpyFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "jitune-npy-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    static std::string refusal_of(const std::filesystem::path& path) {
        return refusal([&] { return NpyFile(path).header(); });
    }

    std::filesystem::path folder_;
};

TEST_F(NpyFileTest, MapsItsElements) {
    const std::vector<float> values{1.5F, -2.25F};
    std::string text = npy(dictionary("'<f4'", "(2,)"), 0);
    text.append(reinterpret_cast<const char*>(values.data()), 8);
    std::ofstream(folder_ / "a.npy", std::ios::binary) << text;
    const NpyFile file(folder_ / "a.npy");
    EXPECT_EQ(std::memcmp(file.data(), values.data(), 8), 0);
}

TEST_F(NpyFileTest, ReadsWhatWasWritten) {
    const std::vector<double> values{1.5, -2.25, 4};
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3}, {1, 3}}) {
        write_npy(folder_ / "a.npy", ElementType::float64, shape, std::as_bytes(std::span(values)));
        const NpyFile file(folder_ / "a.npy");
        EXPECT_EQ(file.header().type, ElementType::float64);
        EXPECT_EQ(file.header().shape, shape);
        EXPECT_EQ(file.header().data_offset % 64, 0U);
        EXPECT_EQ(std::memcmp(file.data(), values.data(), 24), 0);
    }
    EXPECT_THROW(write_npy(folder_ / "none" / "a.npy", ElementType::float64, {}, {}), Error);
    EXPECT_THROW(write_npy(folder_ / "a.npy", ElementType::bfloat16, {}, {}), Error);
}

TEST_F(NpyFileTest, RefusesWhatIsNoRegularFile) {
    ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
    std::ofstream(folder_ / "empty.npy");
    EXPECT_NE(refusal_of(folder_ / "none.npy").find("No such file"), std::string::npos);
    EXPECT_NE(refusal_of(folder_).find("not a regular file"), std::string::npos);
    EXPECT_NE(refusal_of(folder_ / "fifo").find("not a regular file"), std::string::npos);
    EXPECT_NE(refusal_of("/dev/zero").find("not a regular file"), std::string::npos);
    EXPECT_NE(refusal_of(folder_ / "empty.npy").find("not a .npy file"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
