#include "engine/binary_cache.hpp"

#include "support/hash.hpp"

namespace jitune {

namespace {

std::string key_of(const std::string& template_hash, const std::string& device_class,
                   const Instance& instance) {
    Hasher hasher("binary");
    hasher.text(template_hash).text(device_class);
    for (const std::string& expression : instance.expressions) {
        hasher.text(expression);
    }
    return hex(hasher.digest());
}

}  // namespace

std::optional<CompileOutcome> BinaryCache::find(const std::string& template_hash,
                                                const std::string& device_class,
                                                const Instance& instance) {
    const std::string key = key_of(template_hash, device_class, instance);
    const std::lock_guard lock(mutex_);
    const auto found = outcomes_.find(key);
    return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CompileOutcome> BinaryCache::compile(Backend& backend, const TemplateSource& source,
                                                 const std::string& template_hash,
                                                 std::span<const Instance> instances) {
    std::vector<CompileOutcome> outcomes = backend.compile(source, instances);
    compiles_ += static_cast<std::int64_t>(instances.size());
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::string key = key_of(template_hash, backend.info().device_class, instances[i]);
        const auto [known, is_new] = outcomes_.try_emplace(key, outcomes[i]);
        if (!is_new && std::holds_alternative<CompileFailure>(known->second)) {
            known->second = outcomes[i];
        }
    }
    return outcomes;
}

}  // namespace jitune
