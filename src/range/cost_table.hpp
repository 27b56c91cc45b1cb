// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// Whether `sizes` lies between the two, in every dimension.
bool lies_between(const Sizes& sizes, const Sizes& left, const Sizes& right);

/// The name in a CostTable of the template's default, which may be another configuration at each
/// probe.
inline constexpr const char* kDefault = "default";

/// A median, and its uncertainty: half the width of its confidence interval over the median.
struct Timing {
    double ns = 0;
    double uncertainty = 0;
};

/// The times of some configurations at some sizes.
struct Comparison {
    std::map<std::string, Timing> timings;  ///< of the configurations that worked
    std::vector<std::string> refuted =
        {};                ///< gave a wrong result, crashed or hung: of no use at any sizes
    Timing standard = {};  ///< of the template's default; 0 ns: it has none
    /// Other processes may have lengthened some of the times: none of them tells anything.
    bool disturbed = false;
};

/// Holds the times of configurations at the probes: the sizes of comparisons. Configurations are
/// counted from 0.
class CostTable {
public:
    struct Probe {
        Sizes sizes;
        std::vector<Timing> timings;  ///< by configuration; 0 ns: not compared; infinity: failed
        Timing standard;
        Timing best;

        /// True if the probe compared the configuration, also if that failed.
        [[nodiscard]] bool has(std::size_t configuration) const {
            return configuration < timings.size() && timings[configuration].ns > 0;
        }
    };

    /// The number of a configuration. Adds a configuration that is new.
    std::size_t number_of(const std::string& configuration);
    /// The number of a configuration that the table holds.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& configuration) const;
    [[nodiscard]] const std::vector<std::string>& configurations() const { return names_; }

    /// Adds a probe, of which `compared` are the configurations that were asked for. A second probe
    /// of the same sizes replaces the first.
    void add(const Sizes& sizes, const std::vector<std::size_t>& compared,
             const Comparison& comparison);

    /// Adds a probe of another table that has given the configurations the same numbers.
    void add(Probe probe);
    /// From now on the configuration counts as failed at every probe.
    void refute(std::size_t configuration);
    [[nodiscard]] const std::vector<Probe>& probes() const { return probes_; }
    /// The probe of these sizes, or nullptr.
    [[nodiscard]] const Probe* at(const Sizes& sizes) const;

    /// The configuration's time over the best one at the probe; infinity if it is not known.
    [[nodiscard]] double loss(const Probe& probe, std::size_t configuration) const;

    /// True if the loss is at most `limit`, and over the default at most a quarter of what that
    /// allows, within noise. Few sizes in several dimensions are within less.
    [[nodiscard]] bool serves(const Probe& probe, std::size_t configuration, double limit) const;

    /// True if the configuration may be among the best at `sizes`. False if a near probe says that
    /// it is far too slow or, in one dimension, if its loss grows towards `sizes`.
    [[nodiscard]] bool is_plausible(std::size_t configuration, const Sizes& sizes) const;
    /// True if the configuration is refuted, if a near probe says that it takes several times as
    /// long as the best or, in one dimension, if its loss grows towards `sizes`.
    [[nodiscard]] bool is_hopeless(std::size_t configuration, const Sizes& sizes) const;

private:
    void find_best(Probe& probe) const;
    [[nodiscard]] bool is_known(const Probe& probe, std::size_t configuration) const;
    /// Whether it loses more than `near` at a probe, or more than that for each octave between.
    [[nodiscard]] bool loses_near(std::size_t configuration, const Sizes& sizes, double near) const;
    /// True if the configuration's loss rises from one probe to another that lies between that
    /// probe and `sizes`, and no probe on the way or beyond says that it falls again. False in
    /// several dimensions, in which probes seldom lie on the way.
    [[nodiscard]] bool loses_towards(std::size_t configuration, const Sizes& sizes) const;

    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<Probe> probes_;
    std::map<Sizes, std::size_t> probe_numbers_;  ///< in probes_
    std::set<std::size_t> refuted_;
};

}  // namespace jitune::internal
