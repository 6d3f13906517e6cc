package hermit.cli;

import static hermit.cli.CommandTree.word;

import hermit.cli.CommandTree.Word;
import picocli.CommandLine;

/// The commands about what agents do: conversations with them, what they ask for, and what was done.
record PolicyCommands(CliContext cli, CommandTree tree) {
    CommandLine sessions() {
        return tree.group(
                1,
                "sessions",
                "Conversations with an agent.",
                word("list", () -> new Sessions.ListThem(cli)),
                word("open", () -> new Sessions.Open(cli)),
                word("show", () -> new Sessions.Show(cli)),
                word("events", () -> new SessionEvents(cli)),
                word("end", () -> new Sessions.End(cli)),
                word("delete", () -> new Sessions.Delete(cli)));
    }

    CommandLine approvals() {
        return tree.group(
                1,
                "approvals",
                "Calls that wait for a person, over all agents.",
                word("list", () -> new Approvals.ListThem(cli)),
                word("show", () -> new Approvals.Show(cli)),
                word("watch", () -> new ApprovalWatch(cli)),
                word("approve", () -> new Decisions.Approve(cli)),
                word("deny", () -> new Decisions.Deny(cli)),
                new Word("rules", this::rules));
    }

    private CommandLine rules() {
        return tree.group(
                2,
                "rules",
                "Commands that need not ask again.",
                word("list", () -> new ApprovalRules.ListThem(cli)),
                word("revoke", () -> new ApprovalRules.Revoke(cli)));
    }

    CommandLine audit() {
        return tree.group(
                1,
                "audit",
                "What was done, and by whom.",
                word("list", () -> new Audit.ListThem(cli)),
                word("export", "Prints all records as lines of JSON, chain by chain.", new AuditExport(cli)),
                word(
                        "verify",
                        "Has the gateway recompute the chains. Exits 4 if one is broken.",
                        new Audit.Verify(cli)));
    }
}
