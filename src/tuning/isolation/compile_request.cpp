// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/compile_request.hpp"

#include <memory>
#include <string>
#include <utility>

namespace jitune::internal {

namespace {

std::vector<int> read_lines(MessageReader& reader) {
    std::vector<int> lines;
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        lines.push_back(static_cast<int>(reader.integer()));
    }
    return lines;
}

Instance read_instance(MessageReader& reader) {
    Instance instance;
    reader.fields(instance.expressions, instance.defines);
    instance.lines = read_lines(reader);
    instance.options = reader.texts();
    return instance;
}

}  // namespace

void write_compile_request(MessageWriter& writer, const CompileRequest& request) {
    const auto& [device, source, instances] = request;
    writer.fields(static_cast<int>(device.platform), device.attributes.size());
    for (const auto& [name, value] : device.attributes) {
        writer.fields(name, value);
    }
    writer.fields(source.name, source.text, source.headers.size());
    for (const auto& [name, text] : source.headers) {
        writer.fields(name, text);
    }
    writer.fields(source.include_folders, instances.size());
    for (const Instance& instance : instances) {
        writer.fields(instance.expressions, instance.defines, instance.lines.size());
        for (const int line : instance.lines) {
            writer.fields(line);
        }
        writer.fields(instance.options);
    }
}

CompileRequest read_compile_request(MessageReader& reader) {
    CompileRequest request;
    auto& [device, source, instances] = request;
    device.platform = static_cast<PlatformKind>(reader.integer());
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        const std::string name = reader.text();
        device.attributes[name] = reader.integer();
    }
    reader.fields(source.name, source.text);
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        std::string name = reader.text();
        source.headers.emplace_back(std::move(name), reader.text());
    }
    source.include_folders = reader.texts();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        instances.push_back(read_instance(reader));
    }
    return request;
}

void write_outcomes(MessageWriter& writer, const std::vector<CompileOutcome>& outcomes) {
    writer.fields(outcomes.size());
    std::shared_ptr<const std::string> last;
    for (const CompileOutcome& outcome : outcomes) {
        const auto* const binary = std::get_if<Binary>(&outcome);
        writer.fields(binary != nullptr);
        if (binary == nullptr) {
            writer.text(std::get<CompileFailure>(outcome).log);
            continue;
        }
        // An empty image stands for the last one.
        writer.fields(binary->format, binary->image == last ? std::string() : *binary->image,
                      binary->symbols, binary->log == nullptr ? std::string() : *binary->log);
        last = binary->image;
    }
}

std::vector<CompileOutcome> read_outcomes(MessageReader& reader) {
    std::vector<CompileOutcome> outcomes;
    auto last = std::make_shared<const std::string>();
    for (std::int64_t left = reader.integer(); left > 0; --left) {
        if (reader.integer() == 0) {
            outcomes.emplace_back(CompileFailure{reader.text()});
            continue;
        }
        Binary binary;
        binary.format = reader.text();
        if (std::string image = reader.text(); !image.empty()) {
            last = std::make_shared<const std::string>(std::move(image));
        }
        binary.image = last;
        binary.symbols = reader.texts();
        if (std::string log = reader.text(); !log.empty()) {
            binary.log = std::make_shared<const std::string>(std::move(log));
        }
        outcomes.emplace_back(std::move(binary));
    }
    return outcomes;
}

}  // namespace jitune::internal
