#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ops/entropy_reference.hpp"

namespace jitune {

/// An array of levels as elements of T, and what its entropy must be.
template <class T>
struct EntropyCase {
    EntropyCase(std::int64_t its_rows, std::int64_t its_columns, const Entropy& its_entropy)
        : rows(its_rows), columns(its_columns), entropy(its_entropy) {
        std::mt19937 random(5);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            // Noise beside an area of one level.
            const bool flat = i % columns > columns / 2;
            const auto level = flat ? static_cast<unsigned>(entropy.levels) - 1
                                    : random() % static_cast<unsigned>(entropy.levels);
            levels.push_back(static_cast<std::uint8_t>(level));
            elements.push_back(static_cast<T>(level));
        }
    }

    [[nodiscard]] std::string judge(const std::vector<float>& output) const {
        return EntropyReference({levels, rows, columns}, entropy).compare(output, 2e-6);
    }

    std::int64_t rows, columns;
    Entropy entropy;
    std::vector<std::uint8_t> levels;
    std::vector<T> elements;
};

}  // namespace jitune
