// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_families.hpp"

#include <bit>
#include <cmath>

#include "fake/fake_expression.hpp"
#include "fake/fake_reduce.hpp"
#include "families/entropy/entropy_reference.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {
namespace {

class Families {
public:
    Families(FakeCuda& fake, const FakeLaunch& launch)
        : fake_(fake), launch_(launch), kernel_(launch.expression) {}

    CUresult run() const {
        if (kernel_.name == "jitune::stencil") {
            visit_element(reduce_element(kernel_.arguments.at(0)), [&]<class T>(T) {
                if constexpr (std::is_arithmetic_v<T>) {
                    stencil<T>();
                }
            });
        } else if (kernel_.name == "jitune::entropy") {
            visit_element(reduce_element(kernel_.arguments.at(0)), [&]<class T>(T) {
                if constexpr (std::is_arithmetic_v<T>) {
                    entropy<T>();
                }
            });
        } else if (kernel_.name == "jitune::reduce") {
            return reduce();
        } else {
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        return CUDA_SUCCESS;
    }

private:
    template <class T>
    std::span<T> array(std::size_t argument, std::int64_t count, bool writes) const {
        const std::uint64_t address = launch_.arguments.at(argument);
        fake_.touch(launch_, address, static_cast<std::size_t>(count) * sizeof(T), writes);
        return {reinterpret_cast<T*>(address), static_cast<std::size_t>(count)};
    }
    std::int64_t integer(std::size_t argument) const {
        return static_cast<std::int64_t>(launch_.arguments.at(argument));
    }

    template <class T>
    void stencil() const {
        const std::int64_t n = integer(2);
        const int radius = std::stoi(kernel_.arguments.at(1));
        const std::string& boundary = kernel_.arguments.at(3);
        const bool valid = boundary == "jitune::Boundary::valid";
        const auto input = array<const T>(0, n, false);
        const auto output = array<T>(3, valid ? n - 2 * radius : n, true);
        const auto at = [&](std::int64_t i) {
            if (boundary == "jitune::Boundary::wrap") {
                i = (i % n + n) % n;
            } else if (boundary == "jitune::Boundary::clamp") {
                i = std::clamp<std::int64_t>(i, 0, n - 1);
            }
            return i < 0 || i >= n ? T{} : input[static_cast<std::size_t>(i)];
        };
        for (std::size_t o = 0; o < output.size(); ++o) {
            const std::int64_t centre = static_cast<std::int64_t>(o) + (valid ? radius : 0);
            double sum = 0;
            for (std::int64_t i = centre - radius; i <= centre + radius; ++i) {
                sum += static_cast<double>(at(i));
            }
            output[o] = static_cast<T>(sum);
        }
    }

    template <class T>
    void entropy() const {
        const std::int64_t rows = integer(1), columns = integer(2);
        const Entropy entropy{std::stoi(kernel_.arguments.at(1)),
                              std::stoi(kernel_.arguments.at(2))};
        const auto input = array<const T>(0, rows * columns, false);
        const auto output = array<float>(6, rows * columns, true);
        LevelArray levels{{}, rows, columns};
        for (const T value : input) {
            levels.pattern.push_back(static_cast<std::uint8_t>(value));
        }
        const EntropyReference reference(levels, entropy);
        const auto scale = std::bit_cast<double>(launch_.arguments.at(5));
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            output[static_cast<std::size_t>(i)] =
                static_cast<float>(scale * reference.at(i / columns, i % columns));
        }
    }

    CUresult reduce() const {
        array<std::byte>(0, integer(1) * bytes_of_argument(0), false);
        array<std::byte>(4, bytes_of_argument(2), true);
        return run_reduce(launch_);
    }
    std::int64_t bytes_of_argument(std::size_t type) const {
        return static_cast<std::int64_t>(bytes_of(reduce_element(kernel_.arguments.at(type))));
    }

    FakeCuda& fake_;
    const FakeLaunch& launch_;
    FakeExpression kernel_;
};

}  // namespace

CUresult run_family(FakeCuda& fake, const FakeLaunch& launch) {
    try {
        return Families(fake, launch).run();
    } catch (const std::exception&) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

}  // namespace jitune::internal
