// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/trial_case.hpp"

#include <cstring>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kLarge = (std::size_t{1} << 20) + 3;
constexpr std::size_t kCanary = 512;

/// In host memory; knows what is allocated and how much has been downloaded.
class RecordingBench final : public Bench {
public:
    class Memory final : public DeviceMemory {
    public:
        Memory(RecordingBench& bench, std::size_t bytes) : bench_(bench), data_(bytes) {
            bench_.live[data_.data()] = bytes;
        }
        ~Memory() override { bench_.live.erase(data_.data()); }
        [[nodiscard]] void* data() const override { return const_cast<std::byte*>(data_.data()); }
        [[nodiscard]] std::size_t bytes() const override { return data_.size(); }

    private:
        RecordingBench& bench_;
        Bytes data_;
    };

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        std::size_t used = bytes;
        for (const auto& [data, size] : live) {
            used += size;
        }
        if (used > limit) {
            throw Error(ErrorKind::unavailable, "none left");
        }
        return std::make_unique<Memory>(*this, bytes);
    }
    void upload(void* device, std::span<const std::byte> data) override {
        std::memcpy(device, data.data(), data.size());
        ++uploads;
    }
    void download(std::span<std::byte> data, const void* device) override {
        std::memcpy(data.data(), device, data.size());
        downloaded += data.size();
    }
    void fill(void* device, std::byte value, std::size_t bytes) override {
        std::memset(device, std::to_integer<int>(value), bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }
    bool equal(const void* one, const void* other, std::size_t bytes) override {
        if (lost) {
            throw Error(ErrorKind::device, "the device fell off the bus");
        }
        ++comparisons;
        return std::memcmp(one, other, bytes) == 0;
    }
    std::optional<LaunchFailure> run(const Program&, const Launch&,
                                     std::chrono::milliseconds) override {
        return std::nullopt;
    }
    std::unique_ptr<Timer> timer(const Program&, std::span<const Launch>, std::size_t /*untimed*/,
                                 bool) override {
        return nullptr;
    }

    std::map<std::byte*, std::size_t> live;  ///< bytes of each block
    std::size_t limit = std::size_t{1} << 30;
    std::size_t downloaded = 0;
    int comparisons = 0;
    int uploads = 0;
    bool lost = false;
};

/// Each of `count` outputs must be 7, 8, 9 … everywhere, where the lowest bit is free.
Case counting_case(std::size_t bytes, int& judged, std::size_t count = 1) {
    Case one;
    one.name = "counting";
    for (std::size_t i = 0; i < count; ++i) {
        one.arguments.push_back({nullptr, bytes, 1 + i, true});
    }
    one.judge = [&judged, bytes](std::span<const Bytes> outputs) -> std::string {
        ++judged;
        for (const Bytes& output : outputs) {
            for (std::size_t i = 0; i < bytes; ++i) {
                if (std::to_integer<std::size_t>(output[i] ^ std::byte(i + 7)) % 256 > 1) {
                    return "miscounted";
                }
            }
        }
        return {};
    };
    return one;
}

class TrialCaseTest : public testing::Test {
protected:
    void make(std::size_t bytes, std::size_t count = 1) {
        what_ = counting_case(bytes, judged_, count);
        case_ = std::make_unique<TrialCase>(bench_, what_);
    }

    std::byte* output(std::size_t i = 0) { return static_cast<std::byte*>(case_->arrays()[i]); }

    /// A launch that writes what is right, with the lowest bits of one output flipped by `flip`.
    void run(std::byte flip = {}, std::size_t flipped = 0) {
        case_->restore();
        for (std::size_t i = 0; i < what_.arguments.size(); ++i) {
            for (std::size_t j = 0; j < what_.arguments[i].bytes; ++j) {
                output(i)[j] = std::byte(j + 7) ^ (i == flipped ? flip : std::byte{0});
            }
        }
        bench_.downloaded = 0;
        judged_ = 0;
    }

    RecordingBench bench_;
    int judged_ = 0;
    Case what_;
    std::unique_ptr<TrialCase> case_;
};

TEST_F(TrialCaseTest, DownloadsLargeOutputsOnce) {
    make(kLarge, 2);
    run();
    EXPECT_EQ(case_->judge(), "");
    EXPECT_EQ(bench_.downloaded, 2 * (kLarge + 2 * kCanary));
    EXPECT_EQ(judged_, 1);
    run();
    EXPECT_EQ(case_->judge(), "");
    EXPECT_EQ(bench_.downloaded, 2 * 2 * kCanary);
    EXPECT_EQ(judged_, 0);
    run();
    EXPECT_EQ(case_->judge_repeated(), "");
    EXPECT_EQ(bench_.downloaded, 2 * 2 * kCanary);
}

TEST_F(TrialCaseTest, DownloadsSmallOutputsEachTime) {
    make(1000);
    for (int i = 0; i < 2; ++i) {
        run();
        EXPECT_EQ(case_->judge(), "");
        EXPECT_EQ(judged_, 1);
        run();
        EXPECT_EQ(case_->judge_repeated(), "");
    }
    EXPECT_EQ(bench_.comparisons, 0);
    EXPECT_EQ(bench_.live.size(), 1U);
}

TEST_F(TrialCaseTest, NoticesALaterCandidateThatIsWrongAnywhere) {
    make(kLarge, 2);
    run();
    ASSERT_EQ(case_->judge(), "");
    for (const std::size_t i : {0U, 1U}) {
        for (const std::size_t place : {std::size_t{0}, kLarge / 2, kLarge - 1}) {
            run();
            output(i)[place] ^= std::byte{0x80};
            EXPECT_EQ(case_->judge(), "miscounted") << i << ' ' << place;
        }
    }
    case_->restore();
    EXPECT_EQ(case_->judge(), "miscounted") << "wrote nothing at all";
    run();
    EXPECT_EQ(case_->judge(), "");
    EXPECT_EQ(judged_, 0) << "what is wrong has been kept";
}

TEST_F(TrialCaseTest, NoticesALaterCandidateThatWritesBehindTheEnd) {
    make(kLarge, 2);
    run();
    ASSERT_EQ(case_->judge(), "");
    for (const std::size_t i : {0U, 1U}) {
        for (const std::size_t place : {kLarge, kLarge + kCanary - 1}) {
            run();
            output(i)[place] = std::byte{0};
            EXPECT_EQ(case_->judge(), "wrote behind the end of its output") << i << ' ' << place;
            EXPECT_EQ(case_->judge_repeated(), "wrote behind the end of its output");
        }
    }
}

TEST_F(TrialCaseTest, NoticesAWriteBeforeTheStart) {
    for (const std::size_t bytes : {std::size_t{100}, kLarge}) {
        make(bytes, 2);
        run();
        ASSERT_EQ(case_->judge(), "");
        for (const std::ptrdiff_t before : {1, 256}) {
            run();
            output(1)[-before] = std::byte{0};
            EXPECT_EQ(case_->judge(), "wrote before the start of its output") << before;
        }
        run();
        EXPECT_EQ(case_->judge(), "") << "the next candidate answers for it";
    }
}

TEST_F(TrialCaseTest, NoticesAndMendsAChangedInput) {
    const auto pattern = std::make_shared<const Bytes>(Bytes(1000, std::byte{3}));
    for (const std::size_t bytes : {std::size_t{10}, std::size_t{2500}, 2 * kLarge + 1}) {
        what_ = counting_case(100, judged_);
        what_.arguments.push_back({pattern, bytes, 4, false});
        case_ = std::make_unique<TrialCase>(bench_, what_);
        EXPECT_EQ(case_->judge_inputs(), "");
        struct Place {
            std::ptrdiff_t at;
            const char* complaint;
        };
        const auto end = static_cast<std::ptrdiff_t>(bytes);
        for (const Place& place : {Place{0, "changed an input"}, Place{end - 1, "changed an input"},
                                   Place{-1, "wrote before the start of an input"},
                                   Place{end, "wrote behind the end of an input"}}) {
            output(1)[place.at] ^= std::byte{1};
            EXPECT_EQ(case_->judge_inputs(), place.complaint) << bytes << " at " << place.at;
            EXPECT_EQ(case_->judge_inputs(), "") << "the next candidate answers for it";
        }
    }
}

TEST_F(TrialCaseTest, ACopyHasTheSameDataWithoutUploads) {
    const auto pattern = std::make_shared<const Bytes>(Bytes(1000, std::byte{3}));
    what_ = counting_case(100, judged_);
    what_.arguments.push_back({pattern, 2500, 4, false});
    case_ = std::make_unique<TrialCase>(bench_, what_);
    bench_.uploads = 0;
    TrialCase copy(bench_, *case_);
    EXPECT_EQ(bench_.uploads, 0);
    EXPECT_NE(copy.arrays()[1], case_->arrays()[1]);
    EXPECT_EQ(std::memcmp(copy.arrays()[1], case_->arrays()[1], 2500), 0);
    EXPECT_EQ(copy.judge_inputs(), "");
    static_cast<std::byte*>(copy.arrays()[1])[2500] ^= std::byte{1};
    EXPECT_EQ(copy.judge_inputs(), "wrote behind the end of an input");
}

TEST_F(TrialCaseTest, NoticesACandidateThatOverwritesTheKeptOutputs) {
    make(kLarge);
    run();
    ASSERT_EQ(case_->judge(), "");
    ASSERT_GT(bench_.live.size(), 1U);
    for (const auto& [data, bytes] : bench_.live) {
        std::memset(data, 0, bytes);
    }
    EXPECT_EQ(case_->judge(), "wrote before the start of its output");
    run();
    EXPECT_EQ(case_->judge(), "") << "what it had overwritten was believed";
    EXPECT_EQ(judged_, 1);
    run();
    EXPECT_EQ(case_->judge(), "");
    EXPECT_EQ(judged_, 0) << "what is right was not kept again";
}

TEST_F(TrialCaseTest, AcceptsOtherBitsThatAreRight) {
    make(kLarge, 2);
    run();
    ASSERT_EQ(case_->judge(), "");
    run(std::byte{1}, 1);
    EXPECT_EQ(case_->judge(), "");
    EXPECT_EQ(judged_, 1);
    run(std::byte{1}, 1);
    EXPECT_EQ(case_->judge_repeated(), "");
    EXPECT_LT(bench_.downloaded, kLarge) << "the one before is what is kept";
}

TEST_F(TrialCaseTest, NoticesOtherBitsInTheSecondRun) {
    make(kLarge, 2);
    for (int i = 0; i < 3; ++i) {  // judged, as kept, and other than kept
        run(std::byte(i / 2));
        ASSERT_EQ(case_->judge(), "");
        run(std::byte(1 - i / 2));
        EXPECT_EQ(case_->judge_repeated(), "gives different bits from run to run") << i;
    }
}

TEST_F(TrialCaseTest, ComparesTheSecondRunWithTheSameCandidate) {
    make(kLarge);
    run();
    ASSERT_EQ(case_->judge(), "");
    run(std::byte{2});
    ASSERT_EQ(case_->judge(), "miscounted");
    run();
    ASSERT_EQ(case_->judge(), "");
    run(std::byte{2});
    EXPECT_EQ(case_->judge_repeated(), "gives different bits from run to run");
}

TEST_F(TrialCaseTest, WorksWithoutMemoryForKeptOutputs) {
    make(kLarge);
    bench_.limit = 3 * kLarge;  // would leave too little for candidates' work memory
    for (int i = 0; i < 2; ++i) {
        run();
        EXPECT_EQ(case_->judge(), "");
        EXPECT_EQ(judged_, 1);
        EXPECT_EQ(bench_.live.size(), 1U);
        run();
        EXPECT_EQ(case_->judge_repeated(), "");
        run(std::byte{1});
        EXPECT_EQ(case_->judge_repeated(), "gives different bits from run to run");
    }
}

TEST_F(TrialCaseTest, PassesOnAFailureOfTheComparison) {
    make(kLarge);
    run();
    ASSERT_EQ(case_->judge(), "");
    run();
    bench_.lost = true;
    EXPECT_THROW(case_->judge(), Error);
}

TEST_F(TrialCaseTest, KeepsReferenceOutputsOnceACandidateAgrees) {
    make(kLarge);
    int agreed = 0;
    what_.agree = [&](std::span<const Bytes> got, std::span<const Bytes> reference) {
        ++agreed;
        return got[0] == reference[0] ? "" : "disagrees";
    };
    run();
    ASSERT_EQ(case_->learn(), "");
    for (int i = 0; i < 3; ++i) {
        run();
        EXPECT_EQ(case_->judge(), "");
    }
    EXPECT_EQ(agreed, 1);
    run(std::byte{1});
    EXPECT_EQ(case_->judge(), "disagrees");
}

}  // namespace
}  // namespace jitune::internal
