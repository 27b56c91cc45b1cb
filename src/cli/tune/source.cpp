// SPDX-License-Identifier: Apache-2.0
// `jitune source`: what the compiler gets for one configuration of a kernel of one's own.
#include <filesystem>
#include <optional>

#include "cli/app/check_devices.hpp"
#include "cli/app/common_options.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/template_arguments.hpp"
#include "cli/tune/kept_programs.hpp"
#include "dispatch/session_access.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal::source_command {

namespace {

struct Arguments : CommonArguments, TemplateArguments {
    std::string configuration;
    std::string device;
    std::string architecture;
    std::string keep;
};

/// The device that was named, or an architecture, of which no device need be there.
class Target {
public:
    Target(const Arguments& arguments, const Options& options, const KernelTemplate& kernel)
        : devices_(kernel.front_matter().platform, options) {
        if (!arguments.architecture.empty()) {
            if (arguments.architecture.find(',') != std::string::npos) {
                throw Error(ErrorKind::usage, fmt::format("--arch \"{}\": name one architecture",
                                                          arguments.architecture));
            }
            device_ = devices_.of(arguments.architecture).front();
            return;
        }
        session_.emplace(options);
        Device& device =
            device_for(SessionAccess::engine(*session_), kernel, arguments.device,
                       "--arch names an architecture, of which no device need be there");
        device_ = {device.info(), [&device](const DeviceInfo&, const TemplateSource& source,
                                            std::span<const Instance> instances) {
                       return device.compile(source, instances);
                   }};
    }

    [[nodiscard]] const DeviceInfo& info() const { return device_.info; }
    [[nodiscard]] CompileOutcome compile(const ShownProgram& program) const {
        const Instance instance = program.instance();
        return compile_programs(
                   [&](const TemplateSource& source, std::span<const Instance> instances) {
                       return device_.compile(device_.info, source, instances);
                   },
                   program.kernel.source(), std::span(&instance, 1))
            .front();
    }

private:
    CheckDevices devices_;
    std::optional<Session> session_;
    CheckDevice device_;
};

/// The stored winner of a problem whose sizes are all given.
std::optional<Winner> stored_winner(const Options& options, const KernelTemplate& kernel,
                                    const Problem& problem, const DeviceInfo& device) {
    std::error_code error;
    if (options.database.empty() || !std::filesystem::exists(options.database, error)) {
        return std::nullopt;
    }
    return open_database(options)->find(kernel.key(problem, device), problem.sizes);
}

ShownProgram program_of(const Arguments& arguments, const Options& options,
                        const KernelTemplate& kernel, const Problem& problem,
                        const DeviceInfo& device) {
    ShownProgram program{kernel, problem, device, {}, "configuration that was named"};
    if (!arguments.configuration.empty()) {
        program.configuration =
            parse_configuration(arguments.configuration, kernel, problem, device);
        return program;
    }
    const bool all_sizes =
        arguments.is_t1() || arguments.sizes.size() == kernel.front_matter().sizes.size();
    if (const auto winner =
            all_sizes ? stored_winner(options, kernel, problem, device) : std::nullopt) {
        program.configuration =
            Configuration::parse(winner->configuration, kernel.front_matter().parameters);
        program.role = "winner in " + options.database.string();
        return program;
    }
    program.configuration = kernel.default_configuration(problem, device);
    program.role = all_sizes ? "default, because no winner is stored for these sizes"
                             : "default; of a stored winner name each --size";
    return program;
}

std::string source_text(const ShownProgram& program) {
    const CompileRecipe recipe = program.recipe();
    std::string text;
    for (const auto& lines : {program.description(), recipe_lines(program, recipe)}) {
        for (const std::string& line : lines) {
            text += fmt::format("// {}\n", line);
        }
    }
    return text + recipe.text + (recipe.text.ends_with('\n') ? "" : "\n");
}

Json headers_json(const KernelTemplate& kernel) {
    Json headers = Json::object();
    for (const auto& [name, text] : kernel.source().headers) {
        headers[name] = text;
    }
    return headers;
}

Json source_json(const ShownProgram& program, const std::string& folder) {
    const CompileRecipe recipe = program.recipe();
    return {{"kernel", program.problem.kernel},
            {"device", program.device.id},
            {"configuration", program.configuration.text()},
            {"shown_as", program.role},
            {"entries", program.instance().expressions},
            {"file", recipe.file},
            {"command", recipe.command},
            {"notes", recipe.notes},
            {"source", recipe.text},
            {"headers", headers_json(program.kernel)},
            {"folder", folder.empty() ? Json() : Json(folder)}};
}

/// With --input, the only word is not a FILE.
void read_words(Arguments& arguments) {
    if (arguments.is_t1() && arguments.configuration.empty()) {
        arguments.configuration = std::exchange(arguments.file, {});
    }
}

int run(Arguments& arguments) {
    read_words(arguments);
    arguments.look_into_file();
    const TemplateFile file = template_of(arguments);
    const Options options = arguments.options();
    const Target target(arguments, options, file.kernel);
    const Problem problem =
        usual_problem(arguments, file.kernel,
                      usual_kernel_types(file.kernel, parse_kernel_types(arguments.types)).front());
    const ShownProgram program =
        program_of(arguments, options, file.kernel, problem, target.info());
    std::string folder;
    if (!arguments.keep.empty()) {
        folder = KeptPrograms(arguments.keep).add(program, target.compile(program), {}).string();
    }
    if (arguments.json) {
        print_json(source_json(program, folder));
    } else {
        print(folder.empty() ? source_text(program)
                             : fmt::format("source and binary in {}\n", folder));
    }
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    return {{given.file_option(),
             {"CONFIGURATION", &given.configuration,
              "As in \"block=256 pack=4\"; what it leaves out is as in the default [the stored "
              "winner, else the default]"},
             given.input_option(),
             given.size_option(" [4096 each]"),
             given.type_option(" [each of the first]"),
             device_option(&given.device, "host, cuda or cuda:N [of the template's platform]"),
             {"--arch",
              &given.architecture,
              "An architecture, as in sm_90, or host, in place of a device that is there",
              {.excludes = {"--device"}}},
             given.compile_option(),
             {"--keep", &given.keep,
              "Write source, headers, binary and compile command into this folder instead"},
             given.database_option(),
             given.log_option(),
             given.json_option()},
            [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::source_command
