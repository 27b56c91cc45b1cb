#include "ops/reduce_workload.hpp"

#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

#include <fmt/format.h>

#include "ops/element_visit.hpp"
#include "ops/reduce_reference.hpp"

namespace jitune {

namespace {

using Bytes = std::vector<std::byte>;

// A prime, so that no stride of a kernel meets the same elements in every period.
constexpr std::size_t kPeriod = 1'048'573;
constexpr int kUnitsPerOne = 256;

template <class T>
std::vector<T> random_values(std::size_t n, std::mt19937_64& random) {
    std::vector<T> values(n);
    if constexpr (std::is_floating_point_v<T>) {
        // The second half mirrors the first with the other sign, so the sum is that of the middle.
        // No value is 0: its loss would not be seen.
        for (std::size_t i = 0; i < n / 2; ++i) {
            const auto draw = static_cast<int>(random() % (2 * kUnitsPerOne)) - kUnitsPerOne;
            values[i] = static_cast<T>(draw < 0 ? draw : draw + 1) / kUnitsPerOne;
            values[n - 1 - i] = -values[i];
        }
        if (n % 2 == 1) {
            values[n / 2] = T{1} / kUnitsPerOne;
        }
    } else {
        for (T& value : values) {
            value = static_cast<T>(random());
        }
    }
    return values;
}

template <class T>
std::shared_ptr<const Bytes> to_bytes(const std::vector<T>& values) {
    auto bytes = std::make_shared<Bytes>(values.size() * sizeof(T));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    return bytes;
}

Case make_case(const Problem& problem, std::shared_ptr<const Bytes> pattern, std::size_t bytes,
               std::size_t element_bytes, std::size_t offset) {
    const std::string element = problem.types.at("element");
    const Expected expected =
        reduce_reference(element, problem.types.at("operation"), *pattern, bytes);
    Case one;
    one.sizes = {static_cast<std::int64_t>(bytes / element_bytes)};
    one.name = fmt::format("n={} offset={}", one.sizes[0], offset);
    one.inputs = {{std::move(pattern), bytes, offset * element_bytes}};
    one.output_bytes = {element_bytes};
    one.judge = [element, expected](std::span<const Bytes> outputs) {
        return compare(element, expected, outputs[0]);
    };
    return one;
}

/// Where a check puts the one element that decides a min or max.
enum class Spot { first, middle, last };

struct CheckSize {
    std::size_t n;
    std::size_t offset;  // elements past an aligned address
    Spot spot;
};
// No size is a multiple of a pack, a warp or a tile (but 1); each spot meets each kind of
// misalignment.
constexpr CheckSize kChecks[] = {
    {1, 1, Spot::first},         {31, 0, Spot::last},     {1027, 1, Spot::first},
    {4099, 3, Spot::last},       {70'001, 1, Spot::last}, {262'147, 2, Spot::middle},
    {1'048'583, 1, Spot::first},
};

template <class T>
void plant(std::vector<T>& values, Spot spot, T value) {
    const std::size_t last = values.size() - 1;
    values[spot == Spot::first ? 0 : spot == Spot::last ? last : last / 2] = value;
}

}  // namespace

std::vector<Case> ReduceWorkload::checks(const Problem& problem) const {
    const std::string operation = problem.types.at("operation");
    return visit_element(problem.types.at("element"), [&]<class T>(T) {
        std::mt19937_64 random(problem.sizes[0]);
        std::vector<Case> cases;
        const auto add = [&](const std::vector<T>& values, std::size_t offset) {
            auto bytes = to_bytes(values);
            const std::size_t size = bytes->size();
            cases.push_back(make_case(problem, std::move(bytes), size, sizeof(T), offset));
        };
        for (const CheckSize& check : kChecks) {
            std::vector<T> values = random_values<T>(check.n, random);
            if (operation != "sum") {
                using Limits = std::numeric_limits<T>;
                plant(values, check.spot, operation == "min" ? Limits::lowest() : Limits::max());
            }
            add(values, check.offset);
        }
        if (std::is_floating_point_v<T> && operation != "sum") {
            std::vector<T> values = random_values<T>(4'097, random);
            plant(values, Spot::middle, std::numeric_limits<T>::quiet_NaN());
            add(values, 1);
        }
        return cases;
    });
}

Case ReduceWorkload::timed(const Problem& problem) const {
    const std::string element = problem.types.at("element");
    const std::size_t element_bytes = visit_element(element, []<class T>(T) { return sizeof(T); });
    const std::size_t bytes = static_cast<std::size_t>(problem.sizes[0]) * element_bytes;
    return make_case(problem, pattern(element), bytes, element_bytes, 0);
}

std::shared_ptr<const Bytes> ReduceWorkload::pattern(const std::string& element) const {
    const std::lock_guard lock(mutex_);
    auto& made = patterns_[element];
    if (made == nullptr) {
        made = visit_element(element, []<class T>(T) {
            std::mt19937_64 random(kPeriod);
            return to_bytes(random_values<T>(kPeriod, random));
        });
    }
    return made;
}

}  // namespace jitune
