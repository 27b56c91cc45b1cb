#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "fake_cuda.hpp"
#include "fake_families.hpp"
#include "jitune/shards.hpp"

namespace jitune {

inline constexpr int kGpus = 3;

/// An app on a host of kGpus fake GPUs, each with streams. At the end nothing may have leaked, been
/// misused, raced, or be current that was not.
class ShardsFixture : public testing::Test {
protected:
    ShardsFixture() {
        fake_.on_launch = [this](FakeLaunch& launch) { return run_family(fake_, launch); };
        fake_.order().watch(true);
        start(fake_.tables());
    }

    ~ShardsFixture() override {
        session_.reset();
        for (const auto& [memory, gpu] : memory_) {
            fake_.make_current(fake_.primary_context(gpu));
            fake_.free(memory);
        }
        fake_.make_current(nullptr);
        EXPECT_EQ(fake_.leaks(), std::vector<std::string>{});
        EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
        EXPECT_EQ(fake_.order().races(), std::vector<std::string>{});
    }

    /// A session that has done nothing yet.
    void start(const CudaTables& tables, TunePolicy on_miss = TunePolicy::template_default) {
        Options options;
        options.database.clear();
        options.log_level = LogLevel::off;
        options.on_miss = on_miss;
        options.budget = options.budget.zero();  // no clock decides
        options.worker = "none";
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(tables, Log(LogLevel::off)));
        session_ =
            std::make_unique<Session>(std::make_unique<Engine>(options, std::move(platforms)));
    }

    template <class Act>
    auto in_context(int gpu, const Act& act) {
        const CUcontext before = fake_.current();
        fake_.make_current(fake_.primary_context(gpu));
        const auto result = act();
        fake_.make_current(before);
        return result;
    }

    CUstream stream_on(int gpu) {
        return in_context(gpu, [&] { return fake_.make_stream(); });
    }

    /// Memory for `count` values on a GPU, which holds none of them.
    template <class T>
    T* array_on(int gpu, std::size_t count) {
        const CUdeviceptr memory = in_context(
            gpu, [&] { return fake_.allocate(std::max<std::size_t>(count, 1) * sizeof(T)); });
        memory_.emplace_back(memory, gpu);
        return reinterpret_cast<T*>(memory);
    }

    /// `values` in shards of these lengths times `columns`, on one GPU after the other, each
    /// written on its own stream.
    template <class T>
    std::vector<Shard<T>> shards_of(const std::vector<T>& values,
                                    const std::vector<std::int64_t>& counts, int gpus = kGpus,
                                    std::int64_t columns = 1) {
        std::vector<Shard<T>> shards;
        const T* from = values.data();
        for (const std::int64_t count : counts) {
            const int gpu = static_cast<int>(shards.size()) % gpus;
            const auto elements = static_cast<std::size_t>(count * columns);
            T* const data = array_on<T>(gpu, elements);
            const CUstream stream = stream_on(gpu);
            fake_.driver().cuMemcpyHtoDAsync(address(data), from, elements * sizeof(T), stream);
            shards.push_back({data, count, stream});
            from += elements;
        }
        return shards;
    }

    /// One array for each shard, on its GPU, of these lengths.
    template <class R>
    std::vector<R*> arrays_of(const std::vector<std::int64_t>& counts, int gpus = kGpus) {
        std::vector<R*> arrays;
        for (const std::int64_t count : counts) {
            arrays.push_back(array_on<R>(static_cast<int>(arrays.size()) % gpus,
                                         static_cast<std::size_t>(count)));
        }
        return arrays;
    }

    /// The values of an array, read on the stream of its shard.
    template <class R, class T>
    std::vector<R> read(const R* array, std::int64_t count, const Shard<T>& shard) {
        std::vector<R> values(static_cast<std::size_t>(count));
        fake_.driver().cuMemcpyDtoHAsync(values.data(), address(array), values.size() * sizeof(R),
                                         shard.stream);
        return values;
    }

    /// The app goes on and writes over its shards, each on its stream.
    template <class T>
    void write_over(const std::vector<Shard<T>>& shards, std::int64_t columns = 1) {
        for (const Shard<T>& shard : shards) {
            fake_.driver().cuMemsetD8Async(
                address(shard.data), 0xee,
                static_cast<std::size_t>(shard.count * columns) * sizeof(T), shard.stream);
        }
    }

    static CUdeviceptr address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

    FakeCuda fake_{kGpus};
    std::unique_ptr<Session> session_;

private:
    std::vector<std::pair<CUdeviceptr, int>> memory_;
};

}  // namespace jitune
