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

/// The octaves between two sizes, all dimensions added up.
double octaves_between(const Sizes& left, const Sizes& right);
/// Whether `sizes` lies between the two, in every dimension.
bool lies_between(const Sizes& sizes, const Sizes& left, const Sizes& right);

/// A median with half the width of its confidence interval over it.
struct Timing {
    double ns = 0;
    double uncertainty = 0;
};

/// The times of some configurations at some sizes.
struct Comparison {
    std::map<std::string, Timing> timings;  ///< of the configurations that worked
    std::vector<std::string> refuted =
        {};                ///< gave a wrong result, crashed or hung: useless anywhere
    Timing standard = {};  ///< of the template's default; 0 ns: it has none
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

        /// Also where it failed.
        [[nodiscard]] bool has(std::size_t configuration) const {
            return configuration < timings.size() && timings[configuration].ns > 0;
        }
    };

    /// The number of a configuration, which is added where it is new.
    std::size_t number_of(const std::string& configuration);
    /// The number of a configuration that the table holds.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& configuration) const;
    [[nodiscard]] const std::vector<std::string>& configurations() const { return names_; }

    /// Adds a probe, of which `compared` are the configurations that were asked for. A second probe
    /// of the same sizes replaces the first.
    void add(const Sizes& sizes, const std::vector<std::size_t>& compared,
             const Comparison& comparison);
    /// From now on the configuration is as good as failed at every probe.
    void refute(std::size_t configuration);
    [[nodiscard]] const std::vector<Probe>& probes() const { return probes_; }
    /// The probe of these sizes, or nullptr.
    [[nodiscard]] const Probe* at(const Sizes& sizes) const;

    /// The time over the best one at the probe; infinity where it is not known.
    [[nodiscard]] double loss(const Probe& probe, std::size_t configuration) const;

    /// Whether the loss is at most `limit`, and the time not above the default's, as far as noise
    /// lets one see.
    [[nodiscard]] bool serves(const Probe& probe, std::size_t configuration, double limit) const;

    /// Whether the configuration may be among the best at `sizes`: false where a probe near by says
    /// that it is far too slow, and where the only size is one towards which it loses more and
    /// more.
    [[nodiscard]] bool is_plausible(std::size_t configuration, const Sizes& sizes) const;
    /// Whether it is refuted, or a probe near by says that it takes several times as long as the
    /// best, or the only size is one towards which it loses more and more.
    [[nodiscard]] bool is_hopeless(std::size_t configuration, const Sizes& sizes) const;

private:
    void find_best(Probe& probe) const;
    [[nodiscard]] bool is_known(const Probe& probe, std::size_t configuration) const;
    /// Whether it loses more than `near` at a probe, or more than that for each octave between.
    [[nodiscard]] bool loses_near(std::size_t configuration, const Sizes& sizes, double near) const;
    /// Whether its loss rises from one probe to another that lies between that and `sizes`, and no
    /// probe on the way or behind them says that it falls again. False for several sizes, where
    /// probes seldom lie on the way.
    [[nodiscard]] bool loses_towards(std::size_t configuration, const Sizes& sizes) const;

    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<Probe> probes_;
    std::map<Sizes, std::size_t> places_;  ///< in probes_
    std::set<std::size_t> refuted_;
};

}  // namespace jitune::internal
