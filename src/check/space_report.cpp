// SPDX-License-Identifier: Apache-2.0
#include "check/space_report.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr double kMostCounted = 1e7;

double product_of(const std::vector<Parameter>& parameters) {
    double product = 1;
    for (const Parameter& parameter : parameters) {
        product *= static_cast<double>(parameter.values.size());
    }
    return product;
}

/// How many combinations of these parameters the constraint leaves. It names only them.
double left_by(const std::vector<Parameter>& parameters, const Expression& constraint) {
    if (const auto value = constraint.constant_value()) {
        return is_true(*value) ? 1 : 0;
    }
    try {
        return static_cast<double>(SearchSpace(parameters, {constraint}).size());
    } catch (const Error&) {
        return 0;  // it empties the space
    }
}

std::optional<double> removed_by(const std::vector<Parameter>& all, const Expression& constraint) {
    const std::set<std::string> names = constraint.names();
    std::vector<Parameter> named;
    std::copy_if(all.begin(), all.end(), std::back_inserter(named),
                 [&](const Parameter& one) { return names.contains(one.name); });
    const double product = product_of(named);
    if (product > kMostCounted) {
        return std::nullopt;
    }
    return product_of(all) * (1 - left_by(named, constraint) / product);
}

// A larger space is looked at in steps.
constexpr std::size_t kMostVisited = 200'000;

class CornerFinder {
public:
    CornerFinder(const SearchSpace& space, std::size_t standard)
        : space_(space), stride_(space.size() / kMostVisited + 1) {
        for (std::size_t p = 0; p < space.parameters().size(); ++p) {
            standard_.push_back(standard < space.size() ? space.position(standard, p) : 0);
        }
    }

    /// The configurations with the lowest and the highest position of a parameter.
    [[nodiscard]] std::vector<std::size_t> corners(std::size_t parameter) const {
        Best low, high;
        for (std::size_t i = 0; i < space_.size(); i += stride_) {
            const std::size_t position = space_.position(i, parameter);
            const std::size_t shared = shared_with_standard(i);
            low.take(i, space_.parameters()[parameter].values.size() - position, shared);
            high.take(i, position + 1, shared);
        }
        return {low.index, high.index};
    }

private:
    struct Best {
        std::size_t index = 0, rank = 0, shared = 0;

        void take(std::size_t at, std::size_t its_rank, std::size_t its_shared) {
            if (std::pair(its_rank, its_shared) > std::pair(rank, shared)) {
                index = at, rank = its_rank, shared = its_shared;
            }
        }
    };

    [[nodiscard]] std::size_t shared_with_standard(std::size_t index) const {
        std::size_t count = 0;
        for (std::size_t p = 0; p < standard_.size(); ++p) {
            count += space_.position(index, p) == standard_[p] ? 1 : 0;
        }
        return count;
    }

    const SearchSpace& space_;
    std::size_t stride_;
    std::vector<std::size_t> standard_;
};

}  // namespace

SpaceReport report_space(const KernelTemplate& kernel, const Problem& problem,
                         const DeviceInfo& device) {
    const FrontMatter& front = kernel.front_matter();
    SpaceReport report;
    report.combinations = product_of(front.parameters);
    for (const auto* list : {&front.constraints, &front.prune}) {
        const std::vector<Expression> bound = kernel.bound(*list, problem, device);
        for (std::size_t i = 0; i < bound.size(); ++i) {
            report.effects.push_back(
                {(*list)[i].text(), list == &front.prune, removed_by(front.parameters, bound[i])});
        }
    }
    try {
        report.legal = kernel.space(problem, device).size();
    } catch (const Error& error) {
        report.flaw = error.what();
    }
    return report;
}

std::vector<Configuration> check_sample(const SearchSpace& space, const Configuration& standard,
                                        std::span<const Configuration> wanted, std::size_t most) {
    std::vector<std::size_t> chosen;
    std::set<std::size_t> seen;
    const auto choose = [&](std::size_t index) {
        if (chosen.size() < most && index < space.size() && seen.insert(index).second) {
            chosen.push_back(index);
        }
    };
    if (most == 0 || space.size() <= most) {
        most = space.size();
    }
    choose(space.find(standard));
    for (const Configuration& one : wanted) {
        choose(space.find(one));
    }
    if (most < space.size()) {
        const CornerFinder finder(space, space.find(standard));
        for (std::size_t p = 0; p < space.parameters().size(); ++p) {
            for (const std::size_t corner : finder.corners(p)) {
                choose(corner);
            }
        }
        std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same in each run
        while (chosen.size() < most) {
            choose(random() % space.size());
        }
    }
    for (std::size_t i = 0; chosen.size() < most; ++i) {
        choose(i);
    }
    std::vector<Configuration> sample;
    for (const std::size_t index : chosen) {
        sample.push_back(space.at(index));
    }
    return sample;
}

}  // namespace jitune::internal
