package hermit.cli;

import static hermit.cli.CommandTree.word;

import hermit.cli.CommandTree.Word;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ScopeType;

/// All commands, and the options that every one of them has.
final class Commands {
    private final CliContext cli;
    private final CommandTree tree;

    private Commands(CliContext cli, CommandTree tree) {
        this.cli = cli;
        this.tree = tree;
    }

    /// The command line for these arguments: with the one command that they name, or with all that they leave
    /// open.
    static CommandLine about(CliContext cli, String... args) {
        return new Commands(cli, CommandTree.about(args)).root();
    }

    static String help(CommandLine commandLine, boolean colours) {
        return commandLine.getUsageMessage(colours ? Ansi.ON : Ansi.OFF);
    }

    private CommandLine root() {
        var people = new PeopleCommands(cli, tree);
        var policy = new PolicyCommands(cli, tree);
        CommandLine root = tree.group(
                0,
                "hermit",
                "A self-hosted sandbox gateway for AI agents.",
                word("quickstart", () -> new Quickstart(cli)),
                word(
                        "doctor",
                        "Checks all that Hermit needs on this machine. Exits 5 if something is wrong.",
                        new Doctor(cli)),
                new Word("gateway", this::gateway),
                word(
                        "login",
                        "Keeps a token for this gateway: it is asked for, or read from stdin, and tried first.",
                        new Logging.In(cli)),
                word("logout", "Forgets the token that 'hermit login' keeps for this gateway.", new Logging.Out(cli)),
                word("whoami", "Shows whom the token that is used stands for.", new Logging.WhoAmI(cli)),
                word("chat", () -> new Chat(cli)),
                new Word("agents", this::agents),
                new Word("sandbox", this::sandbox),
                new Word("presets", this::presets),
                new Word("skills", this::skills),
                word("mcp", () -> new Mcp(cli)),
                new Word("sessions", policy::sessions),
                new Word("approvals", policy::approvals),
                new Word("members", people::members),
                new Word("users", people::users),
                new Word("tokens", people::tokens),
                new Word("audit", policy::audit),
                new Word("config", this::config),
                new Word("image", this::image),
                word("completion", () -> new Completion(cli, () -> about(cli))),
                word("rehearse", () -> new Rehearsal(cli)));
        root.getCommandSpec()
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .type(boolean.class)
                        .description("Prints the version.")
                        .build())
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .type(boolean.class)
                        .scopeType(ScopeType.INHERIT)
                        .description("Shows this help.")
                        .build())
                .addOption(OptionSpec.builder("--json")
                        .type(boolean.class)
                        .scopeType(ScopeType.INHERIT)
                        .setter(new JsonSwitch(cli.output()))
                        .description("Prints exactly one JSON document on stdout, and messages on stderr.")
                        .build());
        return root;
    }

    private CommandLine gateway() {
        return tree.group(
                1,
                "gateway",
                "Runs, starts, stops the gateway of this machine.",
                word("run", "Runs it in the foreground until it is told to stop.", new GatewayCommands.Run(cli)),
                word(
                        "start",
                        "Starts it in the background and waits until it answers.",
                        new GatewayCommands.Start(cli)),
                word(
                        "stop",
                        "Stops what 'gateway start' has started. Sandboxes are left as they are.",
                        new GatewayCommands.Stop(cli)),
                word(
                        "status",
                        "Says whether it runs and is ready. Exits 3 if it does not answer, 4 if it is not ready.",
                        new GatewayCommands.Status(cli)));
    }

    private CommandLine agents() {
        return tree.group(
                1,
                "agents",
                "Agents: list, create, show, delete.",
                word("list", "Lists the agents.", new Agents.ListThem(cli)),
                word("create", () -> new Agents.Create(cli)),
                word("show", () -> new Agents.Show(cli)),
                word("delete", () -> new Agents.Delete(cli)));
    }

    private CommandLine sandbox() {
        return tree.group(
                1,
                "sandbox",
                "An agent's sandboxes, and commands in them.",
                word("list", () -> new Sandboxes.ListThem(cli)),
                word("add", () -> new Sandboxes.Add(cli)),
                word("remove", () -> new Sandboxes.Remove(cli)),
                word("start", () -> new Sandboxes.Start(cli)),
                word("stop", () -> new Sandboxes.Stop(cli)),
                word("cp", () -> new SandboxCopy(cli)),
                // Options end where the command's own words begin.
                new Word(
                        "exec",
                        () -> CommandTree.annotated(new SandboxExec(cli)).setStopAtPositional(true)),
                word("shell", () -> new SandboxShell(cli)),
                word("ps", () -> new SandboxPs(cli)),
                word("logs", () -> new SandboxLogs(cli)),
                word("kill", () -> new SandboxKill(cli)),
                word(
                        "leftovers",
                        "Lists machines that no sandbox uses and that may still cost something. For the admin.",
                        new Leftovers.ListThem(cli)),
                word("reclaim", () -> new Leftovers.Reclaim(cli)));
    }

    private CommandLine presets() {
        return tree.group(
                1,
                "presets",
                "Sandbox presets of the gateway.",
                word("list", "Lists the sandbox presets that the operator offers.", new Presets.ListThem(cli)));
    }

    private CommandLine skills() {
        return tree.group(
                1,
                "skills",
                "Skills: folders of knowledge that agents find in their sandboxes.",
                word("list", () -> new Skills.ListThem(cli)),
                word(
                        "scan",
                        "Reads the folders of skills in the gateway's home again. For the admin.",
                        new Skills.Scan(cli)),
                word("enable", () -> new Skills.Enable(cli)),
                word("disable", () -> new Skills.Disable(cli)));
    }

    private CommandLine config() {
        return tree.group(
                1,
                "config",
                "Settings of the gateway of this machine, and agents' security policies.",
                word(
                        "show",
                        "Shows the settings in force, defaults included and secrets left out.",
                        new Config.Show(cli)),
                word("get", () -> new Config.Get(cli)),
                word("set", () -> new Config.Set(cli)),
                new Word("security", this::security));
    }

    private CommandLine security() {
        return tree.group(
                2,
                "security",
                "An agent's security policy: who may talk to it, and what asks a person first.",
                word("show", () -> new ConfigSecurity.Show(cli)),
                word("get", () -> new ConfigSecurity.Get(cli)),
                word("set", () -> new ConfigSecurity.Set(cli)),
                word("write", () -> new ConfigSecurity.Write(cli)));
    }

    private CommandLine image() {
        return tree.group(1, "image", "Images for sandboxes.", word("build", () -> new ImageBuild(cli)));
    }

    /// Also called with false or null, for each command that inherits the option.
    private record JsonSwitch(Output output) implements ISetter {
        @Override
        public <T> T set(T value) {
            if (Boolean.TRUE.equals(value)) output.useJson();
            return value;
        }
    }
}
