// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_sum.hpp"

#include <cstring>
#include <numeric>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

constexpr const char* kText = R"toml(/* jitune template
kernel = "sum"
backend = "cuda"
sizes = ["n"]

[parameters]
block = { values = [32, 64, 128, 256], default = 64 }
items = { values = [1, 2, 4], default = 2 }

[arguments]
values = { access = "in", type = "int32", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
ticket = { access = "zeroed", type = "uint32", count = "1" }
result = { access = "out", type = "int32", count = "1" }

[[launch]]
entry = "fake::sum"
template = ["block", "items"]
arguments = ["values", "n", "ticket", "result"]
block = "block"
grid = "ceil_div(n, block * items)"
*/
)toml";

using Bytes = std::vector<std::byte>;

template <class T>
T* pointer(const Launch& launch, std::size_t cell) {
    return reinterpret_cast<T*>(launch.cells[cell]);
}

class FakeSumWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem&) const override {
        return {make_case(1, 1), make_case(1027, 1)};
    }
    [[nodiscard]] Case timed(const Problem& problem) const override {
        return make_case(problem.sizes[0], 0);
    }

private:
    static Case make_case(std::int64_t n, std::size_t offset) {
        std::vector<std::int32_t> values(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<std::int32_t>(i % 1000) + 1;
        }
        const std::int32_t expected = std::accumulate(values.begin(), values.end(), 0);
        auto bytes = std::make_shared<Bytes>(values.size() * sizeof(std::int32_t));
        std::memcpy(bytes->data(), values.data(), bytes->size());
        Case one;
        one.name = fmt::format("n={}", n);
        one.sizes = {n};
        one.arguments = {{bytes, bytes->size(), offset * sizeof(std::int32_t)},
                         CaseArgument::output(sizeof(std::int32_t))};
        one.reads_all = true;
        one.judge = [expected](std::span<const Bytes> outputs) {
            std::int32_t got = 0;
            std::memcpy(&got, outputs[0].data(), sizeof got);
            return got == expected ? "" : fmt::format("got {}, expected {}", got, expected);
        };
        return one;
    }
};

}  // namespace

Kernel fake_sum_kernel(const std::string& front_matter) {
    std::string text = kText;
    text.insert(text.find("kernel ="), front_matter);
    return {KernelTemplate({"sum.cu", text, {}}), fake_sum_workload()};
}

std::unique_ptr<const Workload> fake_sum_workload() {
    return std::make_unique<FakeSumWorkload>();
}

Problem fake_sum_problem(std::int64_t n) {
    return {"sum", {}, {n}, 4};
}

DispatchKey fake_sum_key(const Device& device, const Kernel& kernel, const Problem& problem) {
    return {&device, {&kernel, 0, 0}, size_bucket(problem.sizes)};
}

std::string fake_sum(int block, int items) {
    return fmt::format("fake::sum<{}, {}>", block, items);
}

void right_sum(const Launch& launch) {
    const auto* values = pointer<std::int32_t>(launch, 0);
    *pointer<std::int32_t>(launch, 3) = std::accumulate(values, values + launch.cells[1], 0);
}

void wrong_sum(const Launch& launch) {
    right_sum(launch);
    ++*pointer<std::int32_t>(launch, 3);
}

void sum_that_writes_behind(const Launch& launch) {
    right_sum(launch);
    pointer<std::int32_t>(launch, 3)[1] = 0;
}

void sum_that_leaves_a_ticket(const Launch& launch) {
    right_sum(launch);
    *pointer<std::uint32_t>(launch, 2) = 1;
}

}  // namespace jitune::internal
