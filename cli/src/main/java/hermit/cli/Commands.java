package hermit.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/// The tree of commands. Building a command takes time, and reading annotations takes most of it, so a run builds only
/// what its first two words name, and commands without options have no annotations.
final class Commands {
    /// A word of the command line, and what it stands for.
    private record Word(String name, Supplier<CommandLine> command) {}

    private final CliContext cli;

    /// The first words of the arguments that are no options. Options that may stand between them have no values.
    private final List<String> given;

    private Commands(CliContext cli, List<String> given) {
        this.cli = cli;
        this.given = given;
    }

    /// The command line for these arguments: with the one command that they name, or with all that they leave open.
    static CommandLine about(CliContext cli, String... args) {
        var words = Arrays.stream(args).filter(word -> !word.startsWith("-")).limit(2);
        return new Commands(cli, words.toList()).root();
    }

    static String help(CommandLine commandLine, boolean colours) {
        return commandLine.getUsageMessage(colours ? Ansi.ON : Ansi.OFF);
    }

    private CommandLine root() {
        CommandLine root = group(
                0,
                "hermit",
                "A self-hosted sandbox gateway for AI agents.",
                word("quickstart", () -> new Quickstart(cli)),
                word(
                        "doctor",
                        "Checks all that Hermit needs on this machine. Exits 5 if something is wrong.",
                        new Doctor(cli)),
                new Word("gateway", this::gateway),
                new Word("agents", this::agents),
                new Word("sandbox", this::sandbox),
                new Word("presets", this::presets),
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
        return group(
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
        return group(
                1,
                "agents",
                "Agents: list, create, show, delete.",
                word("list", "Lists the agents.", new Agents.ListThem(cli)),
                word("create", () -> new Agents.Create(cli)),
                word("show", () -> new Agents.Show(cli)),
                word("delete", () -> new Agents.Delete(cli)));
    }

    private CommandLine sandbox() {
        return group(
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
                new Word("exec", () -> annotated(new SandboxExec(cli)).setStopAtPositional(true)),
                word("shell", () -> new SandboxShell(cli)),
                word("ps", () -> new SandboxPs(cli)),
                word("logs", () -> new SandboxLogs(cli)),
                word("kill", () -> new SandboxKill(cli)));
    }

    private CommandLine presets() {
        return group(
                1,
                "presets",
                "Sandbox presets of the gateway.",
                word("list", "Lists the sandbox presets that the operator offers.", new Presets.ListThem(cli)));
    }

    private CommandLine config() {
        return group(
                1,
                "config",
                "Settings of the gateway of this machine.",
                word(
                        "show",
                        "Shows the settings in force, defaults included and secrets left out.",
                        new Config.Show(cli)),
                word("get", () -> new Config.Get(cli)),
                word("set", () -> new Config.Set(cli)));
    }

    private CommandLine image() {
        return group(1, "image", "Images for sandboxes.", word("build", () -> new ImageBuild(cli)));
    }

    /// A command with options, which its annotations tell.
    private static Word word(String name, Supplier<Callable<Integer>> command) {
        return new Word(name, () -> annotated(command.get()));
    }

    /// A command without options.
    private static Word word(String name, String description, Callable<Integer> command) {
        return new Word(name, () -> plain(name, description, command));
    }

    /// A word that needs another after it: the given one at `position`, if it is one of these.
    private CommandLine group(int position, String name, String description, Word... words) {
        CommandLine[] self = new CommandLine[1];
        self[0] = plain(name, description, () -> {
            throw new ParameterException(self[0], "Which command? One of " + String.join(", ", visible(self[0])));
        });
        var wanted = position < given.size() ? given.get(position) : "";
        boolean known = Arrays.stream(words).anyMatch(word -> word.name().equals(wanted));
        for (Word word : words)
            if (!known || word.name().equals(wanted))
                self[0].addSubcommand(word.name(), word.command().get());
        return self[0];
    }

    private static List<String> visible(CommandLine group) {
        return group.getSubcommands().entrySet().stream()
                .filter(entry ->
                        !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static CommandLine plain(String name, String description, Callable<Integer> command) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name(name);
        spec.usageMessage().description(description);
        return exact(new CommandLine(spec));
    }

    private static CommandLine annotated(Callable<Integer> command) {
        return exact(new CommandLine(command));
    }

    /// An argument `@name` is an argument, not a file to read more of them from.
    private static CommandLine exact(CommandLine commandLine) {
        return commandLine.setExpandAtFiles(false);
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
