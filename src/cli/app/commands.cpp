// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command.hpp"

namespace jitune::internal {

// clang-format off
namespace check_command { Invocation invocation(); }
namespace completion_command { Invocation invocation(); }
namespace db_coverage_command { Invocation invocation(); }
namespace db_diff_command { Invocation invocation(); }
namespace db_edit_command {
Invocation delete_invocation();
Invocation pin_invocation();
Invocation unpin_invocation();
Invocation prune_invocation();
Invocation compact_invocation();
}  // namespace db_edit_command
namespace db_explain_command { Invocation invocation(); }
namespace db_export_command { Invocation invocation(); }
namespace db_list_command { Invocation invocation(); }
namespace db_merge_command {
Invocation merge_invocation();
Invocation undo_invocation();
Invocation import_invocation();
}  // namespace db_merge_command
namespace db_rules_command { Invocation invocation(); }
namespace db_show_command { Invocation invocation(); }
namespace db_state_command {
Invocation path_invocation();
Invocation verify_invocation();
Invocation digest_invocation();
}  // namespace db_state_command
namespace devices_command { Invocation invocation(); }
namespace entropy_command { Invocation invocation(); }
namespace manual_command { Invocation invocation(); }
namespace reduce_command { Invocation invocation(); }
namespace report_command { Invocation invocation(); }
namespace replay_command { Invocation invocation(); }
namespace stencil_command { Invocation invocation(); }
namespace stats_command { Invocation invocation(); }
namespace source_command { Invocation invocation(); }
namespace sweep_command { std::vector<Command> commands(); }
namespace tune_command { Invocation invocation(); }
namespace worklist_command {
Invocation show_invocation();
Invocation export_invocation();
Invocation import_invocation();
Invocation clear_invocation();
}  // namespace worklist_command
// clang-format on

namespace {

std::vector<Command> worklist_commands() {
    return {
        {"show", "List the problems, with how often they were called",
         worklist_command::show_invocation},
        {"export", "Write the problems to a file, for a machine that tunes",
         worklist_command::export_invocation},
        {"import", "Add the problems of such a file to this database",
         worklist_command::import_invocation},
        {"clear", "Forget all problems, and all doubts about winners",
         worklist_command::clear_invocation},
    };
}

std::vector<Command> db_commands() {
    return {
        {"list", "List the stored winners", db_list_command::invocation},
        {"show", "Show one winner with its measurements", db_show_command::invocation},
        {"coverage", "Show which sizes are served, how surely, and the holes between them",
         db_coverage_command::invocation},
        {"explain", "Explain which winner would serve a problem, and why no other does",
         db_explain_command::invocation},
        {"rules", "Propose default configurations by rules, from what was measured",
         db_rules_command::invocation},
        {"verify", "Read and check every row", db_state_command::verify_invocation},
        {"digest", "Print a digest of all that the stored winners serve",
         db_state_command::digest_invocation},
        {"export",
         "Write winners and measurements to a file: a bundle, JSON lines, T4 or a cache of Kernel "
         "Tuner",
         db_export_command::invocation},
        {"import", "Add what db export has written to this database",
         db_merge_command::import_invocation},
        {"merge", "Unite other databases with this one", db_merge_command::merge_invocation},
        {"undo", "Take the last merge back", db_merge_command::undo_invocation},
        {"diff", "Show what two databases do not have in common", db_diff_command::invocation},
        {"delete", "Delete winners", db_edit_command::delete_invocation},
        {"pin", "Make a winner serve until it is unpinned, whatever is tuned",
         db_edit_command::pin_invocation},
        {"unpin", "Let tunings replace a winner again", db_edit_command::unpin_invocation},
        {"prune", "Delete what nobody asks for, and old measurements",
         db_edit_command::prune_invocation},
        {"compact", "Give the room of deleted rows back to the file system",
         db_edit_command::compact_invocation},
        {"path", "Print where the database is, and its journal mode and schema",
         db_state_command::path_invocation},
    };
}

}  // namespace

std::vector<Command> commands() {
    return {
        {"devices", "List the usable devices, and why others cannot be used",
         devices_command::invocation},
        {"check", "Check a kernel of your own, without a GPU", check_command::invocation},
        {"tune", "Tune a kernel of your own", tune_command::invocation},
        {"source", "Print the exact source of a configuration, and how to compile it",
         source_command::invocation},
        {"sweep", "Tune a kernel for many problems ahead of time; FILE: one of your own", nullptr,
         sweep_command::commands(), "kernel"},
        {"reduce", "Reduce a .npy file with the tuned kernel", reduce_command::invocation},
        {"entropy", "Compute the entropy of each window of a .npy file",
         entropy_command::invocation},
        {"stencil", "Sum the neighbours of each element of a .npy file",
         stencil_command::invocation},
        {"replay", "Compare strategies on recorded results", replay_command::invocation},
        {"worklist", "Calls that no winner serves, most worth tuning first", nullptr,
         worklist_commands()},
        {"report", "Write a page that shows the database: use, rates, sizes, candidates, noise",
         report_command::invocation},
        {"stats", "Show which winners calls use, what they save, and which calls waited",
         stats_command::invocation},
        {"db", "Look into, share and change the tuning database", nullptr, db_commands()},
        {"completion", "Print the script that completes jitune's words in a shell",
         completion_command::invocation},
        {"manual", "Print the manual page of a command, for man", manual_command::invocation},
    };
}

}  // namespace jitune::internal
