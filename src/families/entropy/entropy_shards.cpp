// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "dispatch/session_access.hpp"
#include "dispatch/thrown_error.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "spread/shard_call.hpp"

namespace jitune::internal {

namespace {

using detail::EntropyRequest;

class EntropyWindows final : public WindowKernel {
public:
    explicit EntropyWindows(const EntropyRequest& request) : request_(request) {}

    [[nodiscard]] std::string name() const override { return "entropy"; }
    [[nodiscard]] std::size_t input_bytes() const override { return bytes_of(request_.element); }
    [[nodiscard]] std::size_t output_bytes() const override { return sizeof(float); }
    [[nodiscard]] std::int64_t unit_elements() const override { return request_.columns; }

    const Resolved& resolve(Engine& engine, StreamSite& site, const Array& array) override {
        request_.rows = array.units;
        return internal::resolve(engine, site, EntropyCall(request_));
    }

    void launch(const StreamGroup::Lane& lane, const Resolved& resolved,
                const Array& array) override {
        request_.rows = array.units;
        internal::launch(*lane.site,
                         EntropyCall(request_, array.input, static_cast<float*>(array.output)),
                         resolved, lane.stream);
    }

private:
    EntropyRequest request_;
};

}  // namespace

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void entropy_shards(Session& session, const EntropyRequest& request,
                    std::span<const ShardData> shards, std::span<float* const> outputs,
                    ShardOutput wanted) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    EntropyRequest whole = request;
    whole.rows = count_of("entropy", shards, outputs.size());
    refuse_bad_entropy(whole);
    if (whole.rows == 0 || whole.columns == 0) {
        return;
    }
    EntropyWindows kernel(whole);
    const std::vector<void*> pointers(outputs.begin(), outputs.end());
    run_on_shards(engine, kernel, shards, pointers, whole.entropy.window / 2, Ends::own, wanted);
} catch (...) {
    throw_as_error();
}

}  // namespace detail

JITUNE_END_NAMESPACE
