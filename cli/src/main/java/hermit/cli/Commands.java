package hermit.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/// The tree of commands. Reading a command's annotations takes time, so a run builds only the branch that its first
/// word names.
final class Commands {
    private final CliContext cli;
    private final Map<String, Supplier<CommandLine>> branches = new LinkedHashMap<>();

    private Commands(CliContext cli) {
        this.cli = cli;
        branches.put("quickstart", () -> leaf(new Quickstart(cli)));
        branches.put("doctor", () -> leaf(new Doctor(cli)));
        branches.put(
                "gateway",
                () -> group(
                        "gateway",
                        "Runs, starts, stops the gateway of this machine.",
                        new GatewayCommands.Run(cli),
                        new GatewayCommands.Start(cli),
                        new GatewayCommands.Stop(cli),
                        new GatewayCommands.Status(cli)));
        branches.put(
                "agents",
                () -> group(
                        "agents",
                        "Agents: list, create, show, delete.",
                        new Agents.ListThem(cli),
                        new Agents.Create(cli),
                        new Agents.Show(cli),
                        new Agents.Delete(cli)));
        branches.put(
                "sandbox",
                () -> group(
                        "sandbox",
                        "An agent's sandboxes, and commands in them.",
                        new Sandboxes.ListThem(cli),
                        new Sandboxes.Add(cli),
                        new Sandboxes.Remove(cli),
                        new Sandboxes.Start(cli),
                        new Sandboxes.Stop(cli),
                        new SandboxExec(cli)));
        branches.put("presets", () -> group("presets", "Sandbox presets of the gateway.", new Presets.ListThem(cli)));
        branches.put(
                "config",
                () -> group(
                        "config",
                        "Settings of the gateway of this machine.",
                        new Config.Show(cli),
                        new Config.Get(cli),
                        new Config.Set(cli)));
        branches.put("image", () -> group("image", "Images for sandboxes.", new ImageBuild(cli)));
        branches.put("completion", () -> leaf(new Completion(cli, () -> root(List.copyOf(branches.keySet())))));
        branches.put("rehearse", () -> leaf(new Rehearsal(cli)));
    }

    /// The command line for these arguments: with one branch where they name one, otherwise with all.
    static CommandLine about(CliContext cli, String... args) {
        var commands = new Commands(cli);
        var named = Arrays.stream(args)
                .filter(word -> !word.startsWith("-"))
                .findFirst()
                .filter(commands.branches::containsKey);
        return commands.root(named.map(List::of).orElseGet(() -> List.copyOf(commands.branches.keySet())));
    }

    static String help(CommandLine commandLine, boolean colours) {
        return commandLine.getUsageMessage(colours ? Ansi.ON : Ansi.OFF);
    }

    private CommandLine root(List<String> wanted) {
        CommandLine root = incomplete("hermit", "A self-hosted sandbox gateway for AI agents.");
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
                        .setter(new CommandLine.Model.ISetter() {
                            @Override
                            public <T> T set(T value) {
                                // Also called with false or null, for each command that inherits the option.
                                if (Boolean.TRUE.equals(value)) cli.output().useJson();
                                return value;
                            }
                        })
                        .description("Prints exactly one JSON document on stdout, and messages on stderr.")
                        .build());
        for (var branch : branches.entrySet())
            if (wanted.contains(branch.getKey()))
                root.addSubcommand(branch.getKey(), branch.getValue().get());
        return root;
    }

    private static CommandLine leaf(Callable<Integer> command) {
        var line = new CommandLine(command);
        // An argument '@name' is an argument, not a file to read more of them from; and a command's own words come
        // after the first.
        line.setExpandAtFiles(false);
        if (command instanceof SandboxExec) line.setStopAtPositional(true);
        return line;
    }

    @SafeVarargs
    private static CommandLine group(String name, String description, Callable<Integer>... commands) {
        CommandLine group = incomplete(name, description);
        for (Callable<Integer> command : commands) group.addSubcommand(leaf(command));
        return group;
    }

    /// A word that needs another after it.
    private static CommandLine incomplete(String name, String description) {
        CommandSpec[] self = new CommandSpec[1];
        CommandSpec spec = CommandSpec.wrapWithoutInspection((Callable<Integer>) () -> {
            throw new ParameterException(
                    self[0].commandLine(), "Which command? One of " + String.join(", ", visible(self[0])));
        });
        self[0] = spec;
        spec.name(name).usageMessage().description(description);
        var line = new CommandLine(spec);
        line.setExpandAtFiles(false);
        return line;
    }

    private static List<String> visible(CommandSpec spec) {
        return spec.subcommands().entrySet().stream()
                .filter(entry ->
                        !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }
}
