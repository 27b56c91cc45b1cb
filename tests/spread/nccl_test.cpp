// SPDX-License-Identifier: Apache-2.0
// What several GPUs gather through NCCL, on the fake driver and a fake NCCL.

#include <numeric>

#include "fixtures/expect_error.hpp"
#include "fixtures/shards_fixture.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

struct Operation {
    const void* from;
    void* to;
    std::size_t count;
    int root;  ///< -1: an all-gather
    int rank;
    CUstream stream;
};

/// NCCL in host memory: what a group holds is done when it ends, in other contexts than the
/// caller's.
struct FakeNccl {
    std::vector<std::vector<int>> made;
    std::vector<int> ranks;
    int alive = 0, groups = 0, gathers = 0, broadcasts = 0;
    int init_answer = 0, gather_answer = 0;
    bool open = false;
    std::vector<Operation> pending;
    FakeCuda* cuda = nullptr;
} nccl;

int init_all(NcclCommunicator* communicators, int count, const int* devices) {
    if (nccl.init_answer != 0) {
        return nccl.init_answer;
    }
    nccl.made.emplace_back(devices, devices + count);
    nccl.ranks.resize(8);
    for (int rank = 0; rank < count; ++rank) {
        nccl.ranks[static_cast<std::size_t>(rank)] = rank;
        communicators[rank] =
            reinterpret_cast<NcclCommunicator>(&nccl.ranks[static_cast<std::size_t>(rank)]);
        ++nccl.alive;
    }
    return 0;
}

int destroy(NcclCommunicator) {
    --nccl.alive;
    return 0;
}

int group_start() {
    EXPECT_FALSE(nccl.open);
    nccl.open = true;
    return 0;
}

int all_gather(const void* from, void* to, std::size_t count, int type,
               NcclCommunicator communicator, CUstream_st* stream) {
    EXPECT_TRUE(nccl.open);
    EXPECT_EQ(type, kNcclInt8);
    ++nccl.gathers;
    nccl.pending.push_back({from, to, count, -1, *reinterpret_cast<int*>(communicator), stream});
    return nccl.gather_answer;
}

int broadcast(const void* from, void* to, std::size_t count, int type, int root,
              NcclCommunicator communicator, CUstream_st* stream) {
    EXPECT_TRUE(nccl.open);
    EXPECT_EQ(type, kNcclInt8);
    ++nccl.broadcasts;
    nccl.pending.push_back({from, to, count, root, *reinterpret_cast<int*>(communicator), stream});
    return nccl.gather_answer;
}

/// The buffer of a rank's operation, of the same kind as `one`, that holds the rank's own data.
const void* source(const Operation& one, int rank) {
    for (const Operation& other : nccl.pending) {
        if (other.rank == rank && other.root == one.root) {
            EXPECT_EQ(other.count, one.count);
            return other.from;
        }
    }
    ADD_FAILURE() << "rank " << rank << " does not take part";
    return one.from;
}

int group_end() {
    nccl.open = false;
    ++nccl.groups;
    CUcontext other = nullptr;
    nccl.cuda->driver().cuCtxPopCurrent(&other);
    nccl.cuda->driver().cuCtxPushCurrent(nccl.cuda->primary_context(kGpus - 1));
    std::vector<unsigned long long> streams;
    for (const Operation& one : nccl.pending) {
        unsigned long long id = 0;
        nccl.cuda->driver().cuStreamGetId(one.stream, &id);
        streams.push_back(id);
    }
    nccl.cuda->order().meet(streams);
    const int ranks =
        1 + std::max_element(nccl.pending.begin(), nccl.pending.end(),
                             [](const auto& a, const auto& b) { return a.rank < b.rank; })
                ->rank;
    for (const Operation& one : nccl.pending) {
        if (one.root >= 0) {
            std::memmove(one.to, source(one, one.root), one.count);
        }
        for (int rank = 0; one.root < 0 && rank < ranks; ++rank) {
            std::memmove(
                static_cast<std::byte*>(one.to) + static_cast<std::size_t>(rank) * one.count,
                source(one, rank), one.count);
        }
    }
    nccl.pending.clear();
    return 0;
}

class NcclTest : public ShardsFixture {
protected:
    NcclTest() {
        nccl = {};
        nccl.cuda = &fake_;
        CudaTables tables = fake_.tables();
        tables.nccl = [this] {
            ++loads_;
            auto table = std::make_shared<NcclTable>();
            table->error_string = [](int) { return "not today"; };
            table->init_all = init_all;
            table->destroy = destroy;
            table->group_start = group_start;
            table->group_end = group_end;
            table->all_gather = all_gather;
            table->broadcast = broadcast;
            return table;
        };
        start(tables);
    }
    ~NcclTest() override {
        session_.reset();
        EXPECT_EQ(nccl.alive, 0);
        EXPECT_FALSE(nccl.open);
    }

    void expect_stencils(const std::vector<std::int64_t>& counts, int gpus = kGpus) {
        const std::int64_t n = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        std::vector<std::int32_t> values(static_cast<std::size_t>(n));
        std::iota(values.begin(), values.end(), 0);
        const Stencil stencil{.radius = 2, .boundary = Boundary::clamp};
        const auto shards = shards_of(values, counts, gpus);
        const auto outputs =
            arrays_of<std::int32_t>(std::vector<std::int64_t>(counts.size(), n), gpus);
        tuned_stencil(shards, outputs, stencil, ShardOutput::all, *session_);
        for (std::size_t i = 0; i < shards.size(); ++i) {
            EXPECT_EQ(judge_stencil(values, stencil, read(outputs[i], n, shards[i])), "");
        }
    }

    int loads_ = 0;
};

TEST_F(NcclTest, GathersEqualShardsAtOnceAndOthersOneByOne) {
    expect_stencils({40, 40, 40});
    EXPECT_EQ(nccl.gathers, 3);
    EXPECT_EQ(nccl.broadcasts, 0);
    expect_stencils({40, 1, 0});
    EXPECT_EQ(nccl.gathers, 3);
    EXPECT_EQ(nccl.broadcasts, 9);
    EXPECT_EQ(nccl.groups, 2);
}

TEST_F(NcclTest, MakesCommunicatorsOnceForASetOfGpus) {
    expect_stencils({40, 40, 40});
    expect_stencils({30, 30, 30});
    expect_stencils({30, 30});
    EXPECT_EQ(nccl.made, (std::vector<std::vector<int>>{{0, 1, 2}, {0, 1}}));
    EXPECT_EQ(loads_, 1);
}

TEST_F(NcclTest, IsNotNeededWhereEachGpuKeepsItsOwn) {
    const auto shards = shards_of(std::vector<float>(90, 1.0F), {30, 30, 30});
    const auto outputs = arrays_of<float>({30, 30, 30});
    tuned_stencil(shards, outputs, {.boundary = Boundary::zero}, ShardOutput::own, *session_);
    EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90.0F);
    EXPECT_EQ(loads_, 0);
}

TEST_F(NcclTest, GivesEveryGpuTheValueOfAReduction) {
    const auto shards = shards_of(std::vector<float>(90, 1.0F), {30, 40, 20});
    const auto results = arrays_of<float>({1, 1, 1});
    tuned_reduce(shards, results, ReduceOp::sum, *session_);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(read(results[i], 1, shards[i])[0], 90.0F);
    }
    EXPECT_EQ(nccl.gathers, 3);
}

TEST_F(NcclTest, CopiesWhereTwoShardsAreOnOneGpu) {
    expect_stencils({40, 40}, 1);
    EXPECT_EQ(loads_, 0);
}

TEST_F(NcclTest, CopiesWhereItRefusesTheGpus) {
    nccl.init_answer = 5;
    expect_stencils({40, 40, 40});
    expect_stencils({40, 40, 40});
    EXPECT_EQ(nccl.groups, 0);
    EXPECT_EQ(loads_, 1);
}

TEST_F(NcclTest, AFailureIsAnErrorAndTheGroupIsClosed) {
    nccl.gather_answer = 1;
    expect_error(ErrorKind::device, "ncclAllGather: not today", [&] {
        expect_stencils({40, 40, 40});
    });
    nccl.gather_answer = 0;
    expect_stencils({40, 40, 40});
}

TEST(NcclTable, HasEveryFunctionOfTheLibraryWhereThatIs) {
    std::shared_ptr<const NcclTable> table;
    try {
        table = load_nccl();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("libnccl.so.2"), std::string::npos);
        GTEST_SKIP() << error.what();
    }
    EXPECT_STREQ(table->error_string(kNcclSuccess), "no error");
}

}  // namespace
}  // namespace jitune::internal
