// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// What two problems must share to share a winner. Sizes enter as a bucket; see ProblemKey in
/// engine/problem.hpp for how each field is made.
struct RecordKey {
    std::string kernel;          ///< "reduce"
    std::string types;           ///< "accumulator=float32 element=float32 operation=sum"
    std::int64_t bucket = 0;     ///< how large each size is; see tuner_db/bucket.hpp
    std::int64_t alignment = 0;  ///< bytes that every array pointer is known to be aligned to
    std::string template_hash;   ///< 32 hex digits over template text, headers and front matter
    std::string device_class;    ///< "cuda cc=90 sm=132 …"

    bool operator==(const RecordKey&) const = default;
};

/// Where a measurement or winner came from. Never part of a key.
struct Provenance {
    std::string device_name;  ///< "NVIDIA H200"
    std::string device_uuid;
    std::string driver;      ///< "CUDA 13.0"
    std::string compiler;    ///< "NVRTC 13.0" or the host compiler's first line
    std::string created_at;  ///< UTC, "2026-11-20T16:00:00Z"

    bool operator==(const Provenance&) const = default;
};

enum class Verdict { timed, compile_failed, launch_failed, wrong_result, timed_out, crashed };

/// The word the database uses.
const char* to_string(Verdict verdict);

/// The verdict of such a word, or nothing.
std::optional<Verdict> verdict_from(std::string_view word);

/// One verdict on one configuration, with its samples and conditions. Append-only, identified by
/// its content.
struct Measurement {
    RecordKey key;
    std::string sizes;          ///< "n=1048576": the exact sizes it was tried on
    std::string configuration;  ///< Configuration::text()
    Verdict verdict = Verdict::timed;
    std::string reason;      ///< empty if timed; else compiler log, driver answer or what was wrong
    std::string conditions;  ///< "l2=cold chain=32"
    std::vector<double> samples_ns;  ///< time of one launch, in the order taken; empty unless timed
    Provenance provenance;
    std::string reproducibility =
        "fixed";  ///< "exact", "fixed" or "any"; see docs/reference/database.md

    bool operator==(const Measurement&) const = default;
};

/// How sure the comparison was that a winner comes from. Zeros: it is not known.
struct Certainty {
    std::string conditions;  ///< "l2=cold chain=32 …", see docs/reference/database.md
    /// Half the width of the median's 95 % confidence interval over the median.
    double uncertainty = 0;
    /// 99 % confidence interval of the default's time over the winner's.
    double speed_up_low = 0;
    double speed_up_high = 0;

    bool operator==(const Certainty&) const = default;
};

/// The configuration that dispatch uses for a key, with everything a launch needs.
struct Winner {
    RecordKey key;
    std::string sizes;
    std::string configuration;
    double median_ns = 0;
    double noise = 0;
    double default_median_ns = 0;  ///< the template default in the same comparison; 0: it failed
    bool complete = false;         ///< the strategy ended by itself, not by the budget
    std::string image_format;      ///< "cubin", "ptx", "so" or "placement"
    std::string image;             ///< the bytes
    std::vector<std::string> symbols;  ///< one entry point per launch step
    Provenance provenance;
    std::string reproducibility = "fixed";  ///< as in Measurement
    Certainty certainty = {};

    bool operator==(const Winner&) const = default;
};

}  // namespace jitune::internal
