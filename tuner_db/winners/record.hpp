// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner_db/file/fields.hpp"

namespace jitune::internal {

// Each record is a struct and, below it, the list of its fields in the order of the database's
// columns. To add a column, add a member with the value that older rows get, and a field with
// `.added = true` at the end of the list; docs/reference/database.md says what else belongs to it.

/// Names a kernel on a class of devices: what may serve one problem may serve every problem of the
/// same KernelKey. Keys are ordered field by field.
struct KernelKey {
    std::string kernel;          ///< "reduce"
    std::string types;           ///< "accumulator=float32 element=float32 operation=sum"
    std::string device_class;    ///< "cuda cc=90 sm=132 …"
    std::int64_t alignment = 0;  ///< bytes that every array pointer is known to be aligned to
    std::string template_hash;   ///< 32 hex digits over template text, headers and front matter

    auto operator<=>(const KernelKey&) const = default;
};

/// A kernel, and how many sizes a problem has. The number differs in damaged tables only.
using SizedKernel = std::pair<KernelKey, std::size_t>;

/// Names the problem, kernel and device of a measurement. Sizes enter as a bucket, which groups
/// measurements. A winner serves a range of sizes of all keys that differ in the bucket alone.
/// KernelTemplate makes the key of a problem.
struct RecordKey : KernelKey {
    std::int64_t bucket = 0;  ///< how large each size is; see src/sizes/bucket.hpp

    auto operator<=>(const RecordKey&) const = default;

    [[nodiscard]] const KernelKey& kernel_key() const { return *this; }
    /// Equal in all but the bucket: the winners of both serve the same problems.
    [[nodiscard]] bool is_like(const RecordKey& other) const {
        return kernel_key() == other.kernel_key();
    }
};

template <MaybeConst<RecordKey> Record>
void fields(const auto& visit, Record& key) {
    visit({"kernel"}, key.kernel);
    visit({"types"}, key.types);
    visit({"bucket"}, key.bucket);
    visit({"alignment"}, key.alignment);
    visit({"template_hash"}, key.template_hash);
    visit({"device_class"}, key.device_class);
}

/// Where a measurement or winner came from. Never part of a key.
struct Provenance {
    std::string device_name;  ///< "NVIDIA H200"
    std::string device_uuid;
    std::string driver;      ///< "CUDA 13.0"
    std::string compiler;    ///< "NVRTC 13.0" or the host compiler's first line
    std::string created_at;  ///< UTC, "2026-11-20T16:00:00Z"

    bool operator==(const Provenance&) const = default;
};

/// True if both have the same model of device, driver and compiler, so that their times can be
/// compared.
bool is_same_place(const Provenance& a, const Provenance& b);

template <MaybeConst<Provenance> Record>
void fields(const auto& visit, Record& provenance) {
    visit({"device_name"}, provenance.device_name);
    visit({"device_uuid"}, provenance.device_uuid);
    visit({"driver"}, provenance.driver);
    visit({"compiler"}, provenance.compiler);
    visit({"created_at"}, provenance.created_at);
}

enum class Verdict { timed, compile_failed, launch_failed, wrong_result, timed_out, crashed };

/// The name that the database uses.
const char* to_string(Verdict verdict);

/// The verdict of that name, if there is one.
std::optional<Verdict> verdict_from(std::string_view name);

/// One verdict on one configuration, with its samples and conditions. Append-only, identified by
/// its content.
struct Measurement {
    static constexpr const char* kTable = "measurement";

    RecordKey key;
    std::string sizes;          ///< "n=1048576": the exact sizes of the problem that was tried
    std::string configuration;  ///< Configuration::text()
    Verdict verdict = Verdict::timed;
    std::string reason;      ///< empty if timed; else the compiler's log or the driver's answer
    std::string conditions;  ///< "l2=cold chain=32"
    std::vector<double> samples_ns;  ///< time of one launch, in the order taken; empty unless timed
    Provenance provenance;
    std::string reproducibility =
        "fixed";  ///< "exact", "fixed" or "any"; see docs/reference/database.md
    /// JSON of what was measured beside the times, see FinalistFigures::text(); empty: nothing.
    std::string figures = {};

    bool operator==(const Measurement&) const = default;
};

template <MaybeConst<Measurement> Record>
void fields(const auto& visit, Record& measurement) {
    visit({"key"}, measurement.key);
    visit({"sizes"}, measurement.sizes);
    visit({"configuration"}, measurement.configuration);
    visit({"verdict"}, measurement.verdict);
    visit({"reason"}, measurement.reason);
    visit({"conditions"}, measurement.conditions);
    visit({.name = "samples_ns", .positive = true}, measurement.samples_ns);
    visit({"provenance"}, measurement.provenance);
    visit({.name = "reproducibility", .added = true}, measurement.reproducibility);
    visit({.name = "figures", .added = true}, measurement.figures);
}

/// How certain the comparison was that chose a winner. Zeros: unknown.
struct Certainty {
    std::string conditions;  ///< "l2=cold chain=32 …", see docs/reference/database.md
    /// Half the width of the median's 95 % confidence interval over the median.
    double uncertainty = 0;
    /// 99 % confidence interval of the default's time over the winner's.
    double speed_up_low = 0;
    double speed_up_high = 0;

    bool operator==(const Certainty&) const = default;
};

/// The sizes that a winner serves, and how well it did at sizes that had no part in its choice.
struct WinnerRange {
    std::string covers;  ///< coverage_text(): "n=1024..4096; n=8193"; empty: only the row's `sizes`
    /// The largest time at a held-out size over the best known one there: 1.02 is 2 % slower. 0:
    /// not known.
    double loss_bound = 0;
    std::int64_t held_out = 0;  ///< number of held-out sizes
    bool unsure = false;        ///< the bound that was asked for is not reached
    /// The template's default for each call's own sizes serves. The row has the one for its
    /// `sizes`.
    bool by_default = false;

    bool operator==(const WinnerRange&) const = default;
};

/// Winner::image_format of a row without code, which comes from a database that was not trusted.
/// Such a row is unsure.
inline constexpr const char* kNoCode = "none";

/// The configuration that dispatch uses for a range of sizes, with everything a launch needs. Its
/// key's bucket is that of `sizes`.
struct Winner {
    static constexpr const char* kTable = "winner";

    RecordKey key;
    std::string sizes;  ///< the sizes of its tuning and of the times below
    std::string configuration;
    double median_ns = 0;
    double noise = 0;
    double default_median_ns = 0;  ///< the template default in the same comparison; 0: it failed
    bool complete = false;         ///< true: the strategy ended by itself; false: by the budget
    std::string image_format;      ///< "cubin", "ptx", "so", "placement" or kNoCode
    std::string image;             ///< the bytes; empty for kNoCode
    std::vector<std::string> symbols;  ///< one entry point per launch step
    Provenance provenance;
    std::string reproducibility = "fixed";  ///< as in Measurement
    Certainty certainty = {};
    WinnerRange range = {};
    bool pinned = false;  ///< no column: a person has pinned the row
    bool refuted =
        false;  ///< no column: a measurement that is not older says that its results are wrong

    bool operator==(const Winner&) const = default;
};

template <MaybeConst<Winner> Record>
void fields(const auto& visit, Record& winner) {
    visit({"key"}, winner.key);
    visit({"sizes"}, winner.sizes);
    visit({"configuration"}, winner.configuration);
    visit({.name = "median_ns", .positive = true}, winner.median_ns);
    visit({"noise"}, winner.noise);
    visit({"default_median_ns"}, winner.default_median_ns);
    visit({"complete"}, winner.complete);
    visit({"image_format"}, winner.image_format);
    visit({.name = "image", .binary = true}, winner.image);
    visit({"symbols"}, winner.symbols);
    visit({"provenance"}, winner.provenance);
    visit({.name = "reproducibility", .added = true}, winner.reproducibility);
    visit({.name = "conditions", .added = true}, winner.certainty.conditions);
    visit({.name = "uncertainty", .added = true}, winner.certainty.uncertainty);
    visit({.name = "speed_up_low", .added = true}, winner.certainty.speed_up_low);
    visit({.name = "speed_up_high", .added = true}, winner.certainty.speed_up_high);
    visit({.name = "covers", .added = true}, winner.range.covers);
    visit({.name = "loss_bound", .added = true}, winner.range.loss_bound);
    visit({.name = "held_out", .added = true}, winner.range.held_out);
    visit({.name = "unsure", .added = true}, winner.range.unsure);
    visit({.name = "by_default", .added = true}, winner.range.by_default);
}

/// What may serve all problems that a winner may serve.
SizedKernel sized_kernel(const Winner& winner);

/// A person's choice that a winner serves and is not replaced.
struct Pin {
    static constexpr const char* kTable = "pin";

    std::string winner;     ///< winner_id()
    std::string pinned_at;  ///< UTC, "2026-11-20T16:00:00Z"
};

template <MaybeConst<Pin> Record>
void fields(const auto& visit, Record& pin) {
    visit({"winner"}, pin.winner);
    visit({"pinned_at"}, pin.pinned_at);
}

}  // namespace jitune::internal
