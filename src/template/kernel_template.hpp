// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/device.hpp"
#include "space/configuration.hpp"
#include "space/search_space.hpp"
#include "template/front_matter.hpp"
#include "template/launch_rule.hpp"
#include "template/problem.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

// The values of names in a template's expressions.

/// The names of a problem and its device that are fixed while its configurations vary.
std::map<std::string, Scalar> fixed_values(const FrontMatter& front, const Problem& problem,
                                           const DeviceInfo& device);

void add_sizes(std::map<std::string, Scalar>& values, const FrontMatter& front,
               const Problem& problem);

void add_configuration(std::map<std::string, Scalar>& values, const Configuration& configuration);

/// A kernel source with tuning parameters: front matter and C++ code. Immutable.
class KernelTemplate {
public:
    /// Throws Error(usage) as parse_front_matter() does, and for text with a NUL byte.
    explicit KernelTemplate(TemplateSource source);

    [[nodiscard]] const FrontMatter& front_matter() const { return front_matter_; }
    [[nodiscard]] const TemplateSource& source() const { return source_; }
    /// template_identity() of the source.
    [[nodiscard]] const std::string& hash() const { return hash_; }

    /// Throws Error(usage) for a type or size the template does not have.
    void check(const Problem& problem) const;

    [[nodiscard]] RecordKey key(const Problem& problem, const DeviceInfo& device) const;

    /// Every configuration that is legal for the problem on the device and worth trying.
    [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const;

    /// Expressions of the front matter with the values of the problem and the device in place.
    [[nodiscard]] std::vector<Expression> bound(const std::vector<Expression>& expressions,
                                                const Problem& problem,
                                                const DeviceInfo& device) const;

    /// True if all constraints hold for the problem on the device. Makes no space.
    [[nodiscard]] bool accepts(const Configuration& configuration, const Problem& problem,
                               const DeviceInfo& device) const;

    /// A configuration that is legal for a problem before anything is measured.
    struct Default {
        Configuration configuration;
        const DefaultRule* rule = nullptr;  ///< of the template; nullptr: the parameters' defaults
        /// Rules before it that hold, but give no configuration of the space.
        std::vector<const DefaultRule*> passed_over = {};
    };
    /// That of the first table [[default]] that holds and gives a configuration of the space; else
    /// the parameters' defaults; if a constraint forbids these, the configuration of the space that
    /// shares most values with them (of equals, the last). `space`: the problem's, if it is at
    /// hand; else it is made for that last one alone.
    [[nodiscard]] Default default_of(const Problem& problem, const DeviceInfo& device,
                                     const SearchSpace* space = nullptr) const;
    [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                      const DeviceInfo& device) const {
        return default_of(problem, device).configuration;
    }
    /// The configurations of all tables [[default]], whatever their conditions, for the problem's
    /// values of the expressions. Legal or not; none twice.
    [[nodiscard]] std::vector<Configuration> rule_configurations(const Problem& problem,
                                                                 const DeviceInfo& device) const;

    /// What the result of a configuration depends on: "exact", on the data alone; "fixed", also on
    /// the order that the configuration fixes; "any", also on timing. Throws Error(usage) if the
    /// template says something else.
    [[nodiscard]] std::string reproducibility(const Configuration& configuration,
                                              const Problem& problem,
                                              const DeviceInfo& device) const;

    /// The C++ name expressions of a configuration.
    [[nodiscard]] Instance instance(const Problem& problem,
                                    const Configuration& configuration) const;

    /// instance() without the code of steps that the configuration never launches on the device,
    /// whatever the sizes. The expressions of these steps are that of a step which it does launch.
    [[nodiscard]] Instance launched_instance(const Problem& problem, const DeviceInfo& device,
                                             const Configuration& configuration) const;

    [[nodiscard]] LaunchRule launch_rule(const Problem& problem, const DeviceInfo& device,
                                         const Configuration& configuration) const;

    /// A plain kernel that candidates are compared with.
    struct Reference {
        Instance instance;
        LaunchRule rule;
    };
    /// The template's reference; nothing if the template has none that runs on its own device. Its
    /// rule takes the arrays and work memory of the configuration's rule.
    [[nodiscard]] std::optional<Reference> reference(const Problem& problem,
                                                     const DeviceInfo& device,
                                                     const Configuration& configuration) const;

    /// The host function of a reference of kind ReferenceSpec::Kind::host, with the parameters'
    /// defaults.
    [[nodiscard]] Instance host_reference(const Problem& problem) const;

    /// The value of an expression for a problem, whatever its device and its configuration; nothing
    /// if it depends on them.
    [[nodiscard]] std::optional<Scalar> value_of(const Expression& expression,
                                                 const Problem& problem) const;

    struct Metric {
        std::string name;
        double value = 0;
        std::string unit;
    };
    /// The template's metrics if one launch takes `seconds` and, if that is known, `joules`. Leaves
    /// out a metric that is no number then.
    [[nodiscard]] std::vector<Metric> metrics(const Problem& problem, const DeviceInfo& device,
                                              const Configuration& configuration, double seconds,
                                              std::optional<double> joules) const;

    /// The template without its tables [[default]].
    [[nodiscard]] KernelTemplate without_rules() const;

private:
    [[nodiscard]] bool holds(const std::vector<Expression>& expressions,
                             const Configuration& configuration, const Problem& problem,
                             const DeviceInfo& device) const;
    /// Each parameter's default, legal or not.
    [[nodiscard]] Configuration defaults() const;
    /// True if a space would hold the configuration: what `prune` forbids, it does not.
    [[nodiscard]] bool is_in_space(const Configuration& configuration, const Problem& problem,
                                   const DeviceInfo& device) const;
    /// As default_of(), as long as that needs no space.
    [[nodiscard]] Configuration nearest_to_defaults(const SearchSpace& space) const;
    [[nodiscard]] std::string text_of(const std::string& word, const Problem& problem,
                                      const Configuration& configuration) const;
    [[nodiscard]] std::string defines(const Problem& problem,
                                      const Configuration& configuration) const;
    [[nodiscard]] std::vector<std::string> options(const Problem& problem,
                                                   const Configuration& configuration) const;
    [[nodiscard]] std::string name_expression(const LaunchSpec& launch, const Problem& problem,
                                              const Configuration& configuration) const;
    /// Adds the address of each constant, behind the kernels.
    void add_constants(Instance& instance) const;
    [[nodiscard]] std::optional<LaunchRule::Argument::Texture> texture_of(
        const ArgumentSpec& spec, const std::string& type,
        const std::map<std::string, Scalar>& values) const;
    [[nodiscard]] LaunchRule rule_of(const std::vector<LaunchSpec>& launches,
                                     const Problem& problem, const DeviceInfo& device,
                                     const Configuration& configuration) const;

    TemplateSource source_;
    FrontMatter front_matter_;
    std::string hash_;
};

}  // namespace jitune::internal
