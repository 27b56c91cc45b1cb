// SPDX-License-Identifier: Apache-2.0
// Every element type, operation and finish of reduce.cu against the reference, in forms that rotate
// so that each meets each.

#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "dispatch/answer/call_memo.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_data.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/reduce_form.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

constexpr ReduceForm kForms[] = {
    {.block = 256, .unroll = 4, .blocks_per_sm = 8},
    {.block = 128, .unroll = 1, .blocks_per_sm = 1, .load = "streaming"},
    {.block = 512, .unroll = 2, .blocks_per_sm = 2, .load = "evict_first"},
    {.block = 1024, .unroll = 1, .pack_bytes = 8, .blocks_per_sm = 1},
    {.block = 256, .unroll = 2, .pack_bytes = 4, .blocks_per_sm = 16},
    {.block = 128, .unroll = 2, .blocks_per_sm = 8, .bulk_stages = 4},
    {.block = 256, .unroll = 8, .blocks_per_sm = 4, .threads_per_sm = 1024},
    {.block = 512, .unroll = 4, .blocks_per_sm = 2, .threads_per_sm = 512, .load = "streaming"},
    {.block = 256, .unroll = 4, .blocks_per_sm = 1, .bulk_stages = 8},
};
constexpr std::size_t kLarge = (std::size_t{1} << 20) + 7;
constexpr std::size_t kOffsets = 4;
constexpr std::size_t kSlot = sizeof(std::uint64_t);  // of one result

/// Whether the finish can combine the operation's states, with indexes of so many bytes. `adds`:
/// the states are added.
bool fits(std::string_view finish, int index_bytes, const ReduceTypes& types, bool adds,
          std::int64_t compute_capability) {
    const ElementType accumulator = accumulator_of(types.element, types.op, types.result);
    const bool indexed = operation_row(types.op).kind == ResultKind::index;
    if (index_bytes == 4 && !(indexed && bytes_of(accumulator) == 4)) {
        return false;
    }
    if (finish == "atomic") {
        return adds;
    }
    if (finish == "packed") {
        return adds && (accumulator == ElementType::int32 || accumulator == ElementType::uint32);
    }
    const bool small = !indexed || index_bytes == 4;
    return finish == "slots"     ? small
           : finish == "cluster" ? small && compute_capability >= 90
                                 : true;
}

/// Arrays of every size at every offset, in one piece of device memory.
class Cases {
public:
    Cases(const DriverTable& driver, const ReduceTypes& types, const std::set<std::size_t>& sizes)
        : Cases(driver, prepare(types, sizes)) {}

    [[nodiscard]] std::size_t size() const { return cases_.size(); }
    [[nodiscard]] std::size_t n(std::size_t i) const { return cases_[i].n; }
    [[nodiscard]] std::byte* values(std::size_t i) const { return memory_.data() + cases_[i].at; }
    [[nodiscard]] std::string judge(std::size_t i, std::span<const std::byte> got) const {
        const std::string complaint = compare(*cases_[i].expected, got);
        return complaint.empty()
                   ? ""
                   : fmt::format("n={} offset={}: {}", cases_[i].n, cases_[i].offset, complaint);
    }

private:
    struct Case {
        std::size_t n, offset, at;
        std::shared_ptr<const Expected> expected;
    };
    struct Prepared {
        std::vector<Case> cases;
        std::vector<std::byte> content;
    };

    static Prepared prepare(const ReduceTypes& types, const std::set<std::size_t>& sizes) {
        constexpr std::size_t kAligned = 256;
        const std::size_t bytes = bytes_of(types.element);
        std::mt19937_64 random(static_cast<std::size_t>(types.op));
        Prepared prepared;
        for (const std::size_t n : sizes) {
            const auto data = reduce_data(types, n, n, random);
            const auto layout = layout_of(ReduceKind::all, 1, static_cast<std::int64_t>(n));
            const auto expected =
                std::make_shared<const Expected>(reduce_reference(types, layout, data));
            for (std::size_t offset = 0; offset < kOffsets; ++offset) {
                const std::size_t at = prepared.content.size() + offset * bytes;
                prepared.cases.push_back({n, offset, at, expected});
                prepared.content.resize((at + data.size() + kAligned - 1) / kAligned * kAligned,
                                        std::byte{0x7b});
                std::memcpy(prepared.content.data() + at, data.data(), data.size());
            }
        }
        return prepared;
    }

    Cases(const DriverTable& driver, const Prepared& prepared)
        : cases_(prepared.cases), memory_(driver, prepared.content) {}

    std::vector<Case> cases_;
    DeviceArray<std::byte> memory_;
};

/// A stream of the thread's own.
class OwnStream {
public:
    explicit OwnStream(const DriverTable& driver) : driver_(driver) {
        check(driver_, driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
              "test");
    }
    ~OwnStream() { driver_.cuStreamDestroy(stream_); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;

    [[nodiscard]] CUstream get() const { return stream_; }
    void wait() const {
        check(driver_, driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize", "test");
    }

private:
    const DriverTable& driver_;
    CUstream stream_ = nullptr;
};

class ReduceForms : public GpuFixture, public testing::WithParamInterface<ElementType> {
protected:
    struct Candidate {
        Problem problem;
        Configuration configuration;
    };

    const KernelTemplate& kernel() const {
        return reduce_kernel(ReduceKind::all, PlatformKind::cuda).kernel_template;
    }
    Device& device() { return SessionAccess::engine(session_).device("cuda:0"); }

    Problem problem_of(const ReduceTypes& types, std::string_view finish) const {
        const auto determinism = finish == "atomic" ? Determinism::any : Determinism::run_to_run;
        return reduce_problem({types.element,
                               types.result,
                               {types.op, determinism},
                               detail::ReduceShape::all(kLarge)});
    }

    /// The first legal form from `first` on.
    std::optional<Candidate> candidate(const ReduceTypes& types, std::string_view finish,
                                       int index_bytes, std::size_t first) {
        const Problem problem = problem_of(types, finish);
        for (std::size_t i = 0; i < std::size(kForms); ++i) {
            ReduceForm form = kForms[(first + i) % std::size(kForms)];
            form.index_bytes = index_bytes;
            const auto configuration =
                Configuration::parse(form.text(types.element, finish, i % 2 == 0 ? 8 : 4),
                                     kernel().front_matter().parameters);
            if (kernel().accepts(configuration, problem, device().info())) {
                return Candidate{problem, configuration};
            }
        }
        return std::nullopt;
    }

    /// One for each finish and width of indexes that fit.
    std::vector<Candidate> candidates(const ReduceTypes& types, std::size_t first) {
        const std::int64_t capability = device().info().attributes.at("compute_capability");
        const bool adds = candidate(types, "atomic", 8, first).has_value();
        std::vector<Candidate> result;
        for (std::size_t f = 0; f < std::size(kFinishes); ++f) {
            for (const int index_bytes : {8, 4}) {
                const auto found = candidate(types, kFinishes[f], index_bytes, first + f);
                EXPECT_EQ(found.has_value(),
                          fits(kFinishes[f], index_bytes, types, adds, capability))
                    << kFinishes[f] << " of " << to_string(types.op) << " with " << index_bytes;
                if (found) {
                    result.push_back(*found);
                }
            }
        }
        return result;
    }

    static std::set<std::size_t> sizes_of(const std::vector<Candidate>& candidates) {
        std::set<std::size_t> sizes{1, 31, 32, 33, kLarge};
        for (const Candidate& one : candidates) {
            const auto block =
                static_cast<std::size_t>(std::get<std::int64_t>(one.configuration.at("block")));
            const auto items = static_cast<std::size_t>(
                std::get<std::int64_t>(one.configuration.at("items_per_thread")));
            for (const std::size_t edge : {block, block * items}) {
                sizes.insert({edge - 1, edge, edge + 1});
            }
        }
        return sizes;
    }

    std::vector<std::unique_ptr<const Resolved>> compile(const std::vector<Candidate>& candidates) {
        std::vector<Instance> instances;
        for (const Candidate& one : candidates) {
            instances.push_back(kernel().instance(one.problem, one.configuration));
        }
        const auto outcomes = device().compile(kernel().source(), instances);
        std::vector<std::unique_ptr<const Resolved>> result;
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const auto* binary = std::get_if<Binary>(&outcomes[i]);
            if (binary == nullptr) {
                ADD_FAILURE() << std::get<CompileFailure>(outcomes[i]).log;
                continue;
            }
            auto resolved = std::make_unique<Resolved>();
            resolved->program = device().load(*binary);
            resolved->rule = kernel().launch_rule(candidates[i].problem, device().info(),
                                                  candidates[i].configuration);
            resolved->info.configuration = candidates[i].configuration.text();
            result.push_back(std::move(resolved));
        }
        return result;
    }

    /// All cases one behind the other on one stream, so that a launch finds what the last one left.
    void expect_right(const Resolved& resolved, const ReduceTypes& types, const Cases& cases,
                      const OwnStream& stream) {
        const DeviceArray<std::byte> results(*driver_, cases.size() * kSlot);
        StreamSite& site = SessionAccess::engine(session_).cuda().site(stream.get());
        CallMemo memo;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::array sizes{static_cast<std::int64_t>(cases.n(i))};
            const std::array<void*, 2> arrays{cases.values(i), results.data() + i * kSlot};
            memo.prepare({site.serial(), {}, {sizes[0]}}, sizes, resolved, site)(arrays.data(),
                                                                                 stream.get());
        }
        stream.wait();
        const std::vector<std::byte> got = results.download();
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto result = std::span(got).subspan(i * kSlot, bytes_of(types.result));
            const std::string complaint = cases.judge(i, result);
            if (!complaint.empty()) {
                ADD_FAILURE() << to_string(types.op) << " of " << to_string(types.element) << " as "
                              << to_string(types.result) << ", " << resolved.info.configuration
                              << ", " << complaint;
                return;
            }
        }
    }

    /// At least twice, so that each finish meets two forms, and for each result type that there is.
    void check_operation(ElementType element, ReduceOp op) {
        const OwnStream stream(*driver_);
        const auto result_types = results_of(element, op);
        for (std::size_t pass = 0; pass < std::max<std::size_t>(2, result_types.size()); ++pass) {
            const ReduceTypes types{element, op, result_types[pass % result_types.size()]};
            const auto first =
                static_cast<std::size_t>(element) + static_cast<std::size_t>(op) + 4 * pass;
            const auto all = candidates(types, first);
            const Cases cases(*driver_, types, sizes_of(all));
            for (const auto& resolved : compile(all)) {
                expect_right(*resolved, types, cases, stream);
            }
        }
    }
};

TEST_P(ReduceForms, AreRightForEveryOperationFinishSizeAndOffset) {
    std::vector<std::thread> threads;
    for (const ReduceOpRow& row : reduce_operations()) {
        if (row.kind == ResultKind::custom) {
            continue;
        }
        threads.emplace_back([this, op = row.value] {
            driver_->cuCtxPushCurrent(context_);
            try {
                check_operation(GetParam(), op);
            } catch (const std::exception& error) {
                ADD_FAILURE() << to_string(op) << ": " << error.what();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

std::string name_of(const testing::TestParamInfo<ElementType>& row) {
    return std::string(to_string(row.param));
}

INSTANTIATE_TEST_SUITE_P(Of, ReduceForms,
                         testing::ValuesIn(element_types().begin(), element_types().end()),
                         name_of);

}  // namespace
}  // namespace jitune::internal
