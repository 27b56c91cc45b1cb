// SPDX-License-Identifier: Apache-2.0
// make_npy FILE COUNT: writes COUNT float32 values as a NumPy array and prints their sum. The
// values are whole numbers of [-128, 128), so that the printed sum is exact.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::string header(std::size_t count) {
    constexpr std::size_t kHeaderBytes = 128;
    constexpr std::size_t kPrefixBytes = 10;
    std::string text =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
    text.resize(kHeaderBytes - kPrefixBytes - 1, ' ');
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(text.size() + 1) + '\0' + text +
           '\n';
}

/// Numbers that look random and are the same everywhere.
std::vector<float> values(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 24) - 128;
    }
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t count = 0;
    if (argc != 3 ||
        std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), count).ec != std::errc{}) {
        std::fprintf(stderr, "usage: make_npy FILE COUNT\n");
        return 2;
    }
    const std::vector<float> data = values(count);
    std::ofstream file(argv[1], std::ios::binary);
    file << header(count);
    file.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size() * sizeof(float)));
    file.close();
    if (!file) {
        std::fprintf(stderr, "make_npy: cannot write %s\n", argv[1]);
        return 1;
    }
    double sum = 0;
    for (const float value : data) {
        sum += static_cast<double>(value);
    }
    std::printf("%s: %zu float32 values, their sum is %.17g\n", argv[1], count, sum);
}
