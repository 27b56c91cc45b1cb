// SPDX-License-Identifier: Apache-2.0
// Arrays on all GPUs of the host, or, where there is one, in shards on that one. Answers are those
// of one GPU, to the bit where the arithmetic is exact.

#include <algorithm>
#include <numeric>

#include "fixtures/entropy_case.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/stencil_case.hpp"
#include "jitune/shards.hpp"

namespace jitune::internal {
namespace {

using Counts = std::vector<std::int64_t>;

/// One GPU's primary context and a stream of it.
class Gpu {
public:
    Gpu(const DriverTable& driver, CUdevice device) : driver_(driver), device_(device) {
        driver_.cuDevicePrimaryCtxRetain(&context_, device);
        enter([&] { driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING); });
    }
    ~Gpu() {
        enter([&] { driver_.cuStreamDestroy(stream_); });
        driver_.cuDevicePrimaryCtxRelease(device_);
    }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    [[nodiscard]] CUstream stream() const { return stream_; }

    template <class Act>
    void enter(const Act& act) const {
        driver_.cuCtxPushCurrent(context_);
        act();
        CUcontext popped = nullptr;
        driver_.cuCtxPopCurrent(&popped);
    }

    /// Values in its memory, written on its stream. `values` must stay until that is done.
    template <class T>
    std::shared_ptr<DeviceArray<T>> upload(std::span<const T> values) const {
        auto array = allocate<T>(values.size());
        enter([&] {
            driver_.cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(array->data()), values.data(),
                                      values.size_bytes(), stream_);
        });
        return array;
    }
    template <class T>
    std::shared_ptr<DeviceArray<T>> allocate(std::size_t count) const {
        std::shared_ptr<DeviceArray<T>> array;
        enter([&] {
            array.reset(new DeviceArray<T>(driver_, count),
                        [this](DeviceArray<T>* made) { enter([&] { delete made; }); });
        });
        return array;
    }
    template <class T>
    std::vector<T> download(const DeviceArray<T>& array) const {
        std::vector<T> values;
        enter([&] {
            driver_.cuStreamSynchronize(stream_);
            values = array.download();
        });
        return values;
    }

private:
    const DriverTable& driver_;
    CUdevice device_;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
};

/// An array in shards of these lengths, on one GPU after the other, and outputs beside them.
template <class T, class R>
class Placed {
public:
    Placed(const DriverTable& driver, const std::vector<T>& values, const Counts& counts,
           std::int64_t columns, const Counts& output_counts) {
        int devices = 0;
        driver.cuDeviceGetCount(&devices);
        const T* from = values.data();
        for (std::size_t i = 0; i < counts.size(); ++i) {
            gpus_.push_back(std::make_unique<Gpu>(driver, static_cast<int>(i) % devices));
            const auto size = static_cast<std::size_t>(counts[i] * columns);
            inputs_.push_back(gpus_[i]->upload(std::span(from, size)));
            arrays_.push_back(
                gpus_[i]->template allocate<R>(static_cast<std::size_t>(output_counts[i])));
            shards.push_back({inputs_[i]->data(), counts[i], gpus_[i]->stream()});
            outputs.push_back(arrays_[i]->data());
            from += size;
        }
    }

    [[nodiscard]] std::vector<R> output(std::size_t i) const {
        return gpus_[i]->download(*arrays_[i]);
    }
    /// The outputs of all shards, one after the other.
    [[nodiscard]] std::vector<R> joined() const {
        std::vector<R> all;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            const std::vector<R> part = output(i);
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }

private:
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::vector<std::shared_ptr<DeviceArray<T>>> inputs_;
    std::vector<std::shared_ptr<DeviceArray<R>>> arrays_;

public:
    std::vector<Shard<T>> shards;
    std::vector<R*> outputs;
};

std::int64_t sum_of(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

class ShardsGpu : public GpuFixture {
protected:
    template <class T>
    void expect_stencil(const Counts& counts, const Stencil& stencil, ShardOutput wanted) {
        const std::int64_t n = sum_of(counts);
        const std::vector<T> values = stencil_inputs<T>(n);
        Counts sizes(counts.size(), stencil_outputs(n, stencil));
        if (wanted == ShardOutput::own) {
            std::vector<Shard<T>> lengths;
            for (const std::int64_t count : counts) {
                lengths.push_back({nullptr, count});
            }
            sizes = stencil_outputs(lengths, stencil);
        }
        const Placed<T, T> placed(*driver_, values, counts, 1, sizes);
        for (int again = 0; again < 3; ++again) {
            tuned_stencil(placed.shards, placed.outputs, stencil, wanted, session_);
        }
        SCOPED_TRACE(stencil_text(stencil, n) + " " + testing::PrintToString(counts));
        if (wanted == ShardOutput::own) {
            EXPECT_EQ(judge_stencil(values, stencil, placed.joined()), "");
        } else {
            for (std::size_t i = 0; i < counts.size(); ++i) {
                EXPECT_EQ(judge_stencil(values, stencil, placed.output(i)), "") << i;
            }
        }
    }

    template <class T>
    void expect_entropy(const Counts& counts, std::int64_t columns, const Entropy& entropy) {
        const std::int64_t rows = sum_of(counts);
        const EntropyCase<T> one(rows, columns, entropy);
        const DeviceArray<T> input(*driver_, one.elements);
        const DeviceArray<float> output(*driver_, one.elements.size());
        tuned_entropy(input.data(), rows, columns, output.data(), entropy, nullptr, session_);
        Counts sizes;
        for (const std::int64_t count : counts) {
            sizes.push_back(count * columns);
        }
        const Placed<T, float> placed(*driver_, one.elements, counts, columns, sizes);
        for (int again = 0; again < 3; ++again) {
            tuned_entropy(placed.shards, columns, placed.outputs, entropy, ShardOutput::own,
                          session_);
        }
        EXPECT_EQ(placed.joined(), output.download())
            << testing::PrintToString(counts) << " x " << columns << " window " << entropy.window;
    }

    template <class R, class T>
    void expect_reduction(const std::vector<T>& values, const Counts& counts, ReduceOp op,
                          bool everywhere) {
        const DeviceArray<T> input(*driver_, values);
        const R wanted = tuned_reduce<R>(input.data(), values.size(), op, nullptr, session_);
        const Placed<T, R> placed(*driver_, values, counts, 1, Counts(counts.size(), 1));
        const R got = tuned_reduce<R>(placed.shards, op, session_);
        if (op == ReduceOp::mean) {  // compilers may divide to two units in the last place
            EXPECT_NEAR(static_cast<double>(got / wanted), 1, sizeof(R) == 4 ? 3e-7 : 5e-16);
        } else {
            EXPECT_EQ(got, wanted) << to_string(op);
        }
        if (everywhere) {
            tuned_reduce(placed.shards, placed.outputs, op, session_);
            EXPECT_EQ(placed.joined(), std::vector<R>(counts.size(), wanted)) << to_string(op);
        }
    }
};

TEST_F(ShardsGpu, StencilsAreThoseOfOneArray) {
    for (const Boundary boundary : kBoundaries) {
        for (const Counts& counts : {Counts{20'000, 20'011}, Counts{1, 40'000, 7, 333},
                                     Counts{5, 3, 2}, Counts{0, 4000, 9}}) {
            for (const ShardOutput wanted : {ShardOutput::own, ShardOutput::all}) {
                expect_stencil<std::int32_t>(counts, {.radius = 2, .boundary = boundary}, wanted);
                expect_stencil<std::int32_t>(counts, {.radius = 32, .boundary = boundary}, wanted);
                expect_stencil<float>(counts, {.radius = 5, .mean = true, .boundary = boundary},
                                      wanted);
            }
        }
        const auto weights = stencil_weights<double>(8);
        expect_stencil<double>({1'000'003, 999'983},
                               {.radius = 8, .weights = weights, .boundary = boundary},
                               ShardOutput::own);
    }
}

TEST_F(ShardsGpu, EntropiesAreThoseOfOneArray) {
    for (const std::int64_t columns : {1, 131, 512, 2053}) {
        expect_entropy<float>({150, 151}, columns, {});
        expect_entropy<std::uint8_t>({1, 100, 3, 60}, columns, {9, 32});
        expect_entropy<std::int32_t>({7, 0, 2, 5}, columns, {15, 256});
    }
}

TEST_F(ShardsGpu, ReductionsAreThoseOfOneArray) {
    std::vector<std::int32_t> integers(1'000'003);
    std::iota(integers.begin(), integers.end(), -400'000);
    std::vector<float> floats;
    for (int i = 0; i < 4000; ++i) {
        floats.push_back(static_cast<float>(i % 13));
    }
    for (const Counts& counts : {Counts{500'000, 500'003}, Counts{1, 999'995, 7}}) {
        expect_reduction<std::int64_t>(integers, counts, ReduceOp::sum, true);
        expect_reduction<std::int32_t>(integers, counts, ReduceOp::max_abs, true);
        expect_reduction<std::int64_t>(integers, counts, ReduceOp::count_nonzero, true);
        expect_reduction<std::int64_t>(integers, counts, ReduceOp::arg_max, false);
        expect_reduction<double>(integers, counts, ReduceOp::mean, false);
    }
    expect_reduction<float>(floats, {1000, 3000}, ReduceOp::sum, true);
    expect_reduction<float>(floats, {1000, 3000}, ReduceOp::mean, false);
}

TEST_F(ShardsGpu, FindTheirGpuByThePointerWhereTheyHaveNoStream) {
    int devices = 0;
    driver_->cuDeviceGetCount(&devices);
    if (devices < 2) {
        GTEST_SKIP() << "two shards without a stream need two GPUs";
    }
    const Counts counts{5000, 5001};
    const Stencil stencil{.radius = 3, .boundary = Boundary::wrap};
    const std::vector<std::int32_t> values = stencil_inputs<std::int32_t>(sum_of(counts));
    Placed<std::int32_t, std::int32_t> placed(*driver_, values, counts, 1, counts);
    static_cast<void>(placed.joined());  // the inputs are there
    for (auto& shard : placed.shards) {
        shard.stream = nullptr;
    }
    tuned_stencil(placed.shards, placed.outputs, stencil, ShardOutput::own, session_);
    EXPECT_EQ(tuned_reduce(placed.shards, ReduceOp::max, session_),
              *std::max_element(values.begin(), values.end()));  // waits for the default streams
    EXPECT_EQ(judge_stencil(values, stencil, placed.joined()), "");
}

/// The inputs are written over as soon as the call has been enqueued.
TEST_F(ShardsGpu, ReadTheirNeighboursBeforeThoseWriteOverTheirShards) {
    const std::int64_t half = 3'000'000;
    const Stencil stencil{.radius = 32, .boundary = Boundary::wrap};
    const std::vector<std::int32_t> values = stencil_inputs<std::int32_t>(2 * half);
    const Counts counts{half, half};
    const Placed<std::int32_t, std::int32_t> placed(*driver_, values, counts, 1, counts);
    tuned_stencil(placed.shards, placed.outputs, stencil, ShardOutput::own, session_);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto memory = reinterpret_cast<CUdeviceptr>(placed.shards[i].data);
        driver_->cuMemsetD8Async(memory, 0xee, half * sizeof(std::int32_t),
                                 placed.shards[i].stream);
    }
    EXPECT_EQ(judge_stencil(values, stencil, placed.joined()), "");
}

/// From the third call on they are replayed. Each time the app writes the inputs before the call
/// and over them after it, with no wait between, on the streams alone.
TEST_F(ShardsGpu, CallsThatComeAgainReadWhatIsThereThen) {
    const std::int64_t half = 1'000'000;
    const Counts counts{half, half + 13, half / 2, 5};
    const std::vector<std::int32_t> some = stencil_inputs<std::int32_t>(sum_of(counts));
    const Placed<std::int32_t, std::int32_t> placed(*driver_, some, counts, 1, counts);
    const Placed<std::int32_t, float> entropies(*driver_, some, counts, 1, counts);
    std::vector<std::vector<std::int32_t>> values(8, some);
    for (std::size_t turn = 0; turn < values.size(); ++turn) {
        std::rotate(values[turn].begin(), values[turn].begin() + 1000 * turn, values[turn].end());
    }
    const Stencil stencil{.radius = 32, .boundary = Boundary::wrap};
    std::vector<std::vector<std::int32_t>> got;
    for (const std::vector<std::int32_t>& inputs : values) {
        const std::int32_t* from = inputs.data();
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto bytes = static_cast<std::size_t>(counts[i]) * sizeof *from;
            const Shard<std::int32_t>& shard = placed.shards[i];
            const auto memory = reinterpret_cast<CUdeviceptr>(shard.data);
            const auto output = reinterpret_cast<CUdeviceptr>(placed.outputs[i]);
            driver_->cuMemcpyHtoDAsync(memory, from, bytes, shard.stream);
            driver_->cuMemsetD8Async(output, 0xee, bytes, shard.stream);
            from += counts[i];
        }
        tuned_stencil(placed.shards, placed.outputs, stencil, ShardOutput::own, session_);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            driver_->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(placed.shards[i].data), 0xee,
                                     static_cast<std::size_t>(counts[i]) * sizeof *from,
                                     placed.shards[i].stream);
        }
        tuned_entropy(entropies.shards, 1, entropies.outputs, {.levels = 256}, ShardOutput::own,
                      session_);
        got.push_back(placed.joined());
    }
    for (std::size_t turn = 0; turn < values.size(); ++turn) {
        EXPECT_EQ(judge_stencil(values[turn], stencil, got[turn]), "") << turn;
    }
}

/// Many calls with no wait between: each makes threefold what the one before has written.
TEST_F(ShardsGpu, CallsThatComeAgainFollowEachOther) {
    const Counts counts{300'000, 20, 299'999};
    const std::vector<std::int32_t> ones(static_cast<std::size_t>(sum_of(counts)), 1);
    Placed<std::int32_t, std::int32_t> there(*driver_, ones, counts, 1, counts);
    std::vector<Shard<std::int32_t>> back = there.shards;
    std::vector<std::int32_t*> inputs;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        inputs.push_back(const_cast<std::int32_t*>(there.shards[i].data));
        back[i].data = there.outputs[i];
    }
    const Stencil threefold{.radius = 1, .boundary = Boundary::wrap};
    for (int turn = 0; turn < 9; ++turn) {
        tuned_stencil(there.shards, there.outputs, threefold, ShardOutput::own, session_);
        tuned_stencil(back, inputs, threefold, ShardOutput::own, session_);
    }
    tuned_stencil(there.shards, there.outputs, threefold, ShardOutput::own, session_);
    std::int32_t power = 1;
    for (int call = 0; call < 19; ++call) {
        power *= 3;
    }
    const std::vector<std::int32_t> got = there.joined();
    EXPECT_EQ(std::count(got.begin(), got.end(), power), std::ssize(got));
}

}  // namespace
}  // namespace jitune::internal
