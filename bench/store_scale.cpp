// SPDX-License-Identifier: Apache-2.0
// store_scale FILE [ROWS [WINNERS]]: makes a tuning database of ROWS rows, WINNERS of them winners
// with code of 20 KiB, and times opening it, cold look-ups, a page of db list, and the merge of
// another one. FILE must not exist.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuner_db/tuning_store.hpp"

namespace {

using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWinnersOfKey = 16;

const Log kLog(jitune::LogLevel::warning, {});

double microseconds(const std::function<void()>& work) {
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

RecordKey key_of(std::int64_t number, std::int64_t half_octave) {
    return {
        {"reduce",
         fmt::format("accumulator=float32 element=float32 operation=op{} result=float32", number),
         "cuda cc=90 sm=132 warp=32 shared=49152 optin=232448 l2=52428800", 16,
         "0123456789abcdef0123456789abcdef"},
        half_octave};
}

Provenance place() {
    return {"NVIDIA H100", "GPU-1", "CUDA 13.0", "NVRTC 13.0", "2026-11-20T16:00:00Z"};
}

Winner winner_of(std::int64_t number, std::mt19937_64& random) {
    const std::int64_t part = number % kWinnersOfKey;
    const std::int64_t from = std::int64_t{1} << (10 + part);
    Winner winner;
    winner.key = key_of(number / kWinnersOfKey, 20 + 2 * part);
    winner.sizes = fmt::format("n={}", from);
    winner.configuration = fmt::format("block=256 items_per_thread={} finish=ticket", 1 + part);
    winner.median_ns = 1000.0 + static_cast<double>(part);
    winner.default_median_ns = 1500;
    winner.complete = true;
    winner.image_format = "cubin";
    winner.image.resize(20 << 10);
    std::generate(winner.image.begin(), winner.image.end(),
                  [&] { return static_cast<char>(random()); });
    winner.symbols = {"jitune::reduce<256, 8>", "jitune::finish<256>"};
    winner.provenance = place();
    winner.range.covers = fmt::format("n={}..{}", from, 2 * from - 1);
    winner.certainty = {"l2=cold chain=32", 0.01, 1.4, 1.6};
    return winner;
}

Measurement measurement_of(std::int64_t number, std::int64_t keys) {
    Measurement one;
    one.key = key_of(number % keys, 20 + number / keys % 32);
    one.sizes = "n=1048576";
    one.configuration = fmt::format("block=256 items_per_thread={} finish=ticket", number / keys);
    one.conditions = "l2=cold by=graph chain=32 clocks=steady";
    one.samples_ns.assign(20, 1000.0 + static_cast<double>(number % 1000));
    one.provenance = place();
    return one;
}

void fill(const std::string& path, std::int64_t rows, std::int64_t winners, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto store = TuningStore::open(path, TuningStore::Access::read_write, kLog);
    constexpr std::int64_t kBatch = 10'000;
    const std::int64_t keys = std::max<std::int64_t>(1, winners / kWinnersOfKey);
    for (std::int64_t begin = 0; begin < winners; begin += kBatch / 10) {
        std::vector<Winner> some;
        for (std::int64_t i = begin; i < std::min(winners, begin + kBatch / 10); ++i) {
            some.push_back(winner_of(i + seed * 1'000'000, random));
        }
        store->save({}, some);
    }
    for (std::int64_t begin = 0; begin < rows - winners; begin += kBatch) {
        std::vector<Measurement> some;
        for (std::int64_t i = begin; i < std::min(rows - winners, begin + kBatch); ++i) {
            some.push_back(measurement_of(i * 2 + seed, keys));
        }
        store->save(some);
    }
}

void report(const char* what, std::vector<double> times_us) {
    std::sort(times_us.begin(), times_us.end());
    fmt::print("{:<36} median {:>10.1f} us, 99 % {:>10.1f} us, {} times\n", what,
               times_us[times_us.size() / 2], times_us[times_us.size() * 99 / 100],
               times_us.size());
}

void time_reads(const std::string& path, std::int64_t winners) {
    std::vector<double> opens, finds, pages;
    for (int i = 0; i < 50; ++i) {
        opens.push_back(
            microseconds([&] { TuningStore::open(path, TuningStore::Access::read_write, kLog); }));
    }
    report("open", opens);
    std::mt19937_64 random(7);
    const auto store = TuningStore::open(path, TuningStore::Access::read_write, kLog);
    for (int i = 0; i < 20'000; ++i) {
        const auto number =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(winners));
        const std::int64_t n = (std::int64_t{1} << (10 + number % kWinnersOfKey)) + 5;
        const RecordKey key = key_of(number / kWinnersOfKey, 20);
        bool found = false;
        finds.push_back(microseconds([&] { found = store->find(key, Sizes{n}).has_value(); }));
        if (!found) {
            fmt::print("{}: no winner of {} serves n={}\n", path, key.types, n);
            std::exit(1);
        }
    }
    report("look-up of a random key", finds);
    for (int i = 0; i < 50; ++i) {
        pages.push_back(
            microseconds([&] { store->winners([](const Winner&) { return true; }, 0, 50); }));
    }
    report("the first page, of 50 winners", pages);
}

}  // namespace

int main(int count, char** words) try {
    if (count < 2 || std::filesystem::exists(words[1])) {
        fmt::print("usage: store_scale FILE [ROWS [WINNERS]]; FILE must not exist\n");
        return 2;
    }
    const std::string path = words[1];
    const std::int64_t rows = count > 2 ? std::atoll(words[2]) : 1'000'000;
    const std::int64_t winners = count > 3 ? std::atoll(words[3]) : rows / 50;
    fmt::print("{} rows, {} of them winners: made in {:.1f} s\n", rows, winners,
               microseconds([&] { fill(path, rows, winners, 0); }) / 1e6);
    fmt::print("{:.0f} MB\n", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    time_reads(path, winners);
    const std::string other = path + ".other";
    fill(other, rows / 10, winners / 10, 1);
    const auto store = TuningStore::open(path, TuningStore::Access::read_write, kLog);
    const auto from = TuningStore::open_other(other, kLog);
    MergeReport merged;
    const double merge_s =
        microseconds([&] { merged = store->merges().add(from->merges(), {.trust_code = true}); }) /
        1e6;
    fmt::print(
        "merge of {} measurements and {} winners: {:.1f} s, {:.1f} s again\n", merged.measurements,
        merged.winners, merge_s,
        microseconds([&] { store->merges().add(from->merges(), {.trust_code = true}); }) / 1e6);
    return 0;
} catch (const jitune::Error& error) {
    fmt::print("store_scale: {}\n", error.what());
    return 1;
}
