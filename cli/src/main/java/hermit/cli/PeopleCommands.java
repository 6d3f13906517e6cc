package hermit.cli;

import static hermit.cli.CommandTree.word;

import hermit.cli.CommandTree.Word;
import picocli.CommandLine;

/// The commands about people: who they are, by which tokens they are known, and what they are to an agent.
record PeopleCommands(CliContext cli, CommandTree tree) {
    CommandLine users() {
        return tree.group(
                1,
                "users",
                "People. For the admin.",
                word("list", () -> new Users.ListThem(cli)),
                word("create", () -> new Users.Create(cli)),
                word("show", () -> new Users.Show(cli)),
                word("delete", () -> new Users.Delete(cli)),
                word("merge", () -> new Users.Merge(cli)),
                new Word("identities", this::identities));
    }

    private CommandLine identities() {
        return tree.group(
                2,
                "identities",
                "What a person is known as on channels.",
                word("add", () -> new UserIdentities.Add(cli)),
                word("remove", () -> new UserIdentities.Remove(cli)));
    }

    CommandLine tokens() {
        return tree.group(
                1,
                "tokens",
                "Tokens: everybody's for the admin, their own for people.",
                word("list", () -> new Tokens.ListThem(cli)),
                word("create", () -> new Tokens.Create(cli)),
                word("revoke", () -> new Tokens.Revoke(cli)));
    }

    CommandLine members() {
        return tree.group(
                1,
                "members",
                "Who belongs to an agent, and as what.",
                word("list", () -> new Members.ListThem(cli)),
                word("add", () -> new Members.Add(cli)),
                word("set", () -> new Members.Set(cli)),
                word("remove", () -> new Members.Remove(cli)),
                word("join", () -> new Members.Join(cli)));
    }
}
