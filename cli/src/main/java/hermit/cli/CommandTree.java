package hermit.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// How commands are put together. Building a command takes time, and reading annotations takes most of it, so
/// a run builds only what its first words name, and commands without options have no annotations.
///
/// - `given`: the first words of the arguments that are no options. Options that may stand between them have
///   no values.
record CommandTree(List<String> given) {
    /// `config security show` is as deep as it goes.
    static final int DEPTH = 3;

    /// A word of the command line, and what it stands for.
    record Word(String name, Supplier<CommandLine> command) {}

    CommandTree {
        given = List.copyOf(given);
    }

    static CommandTree about(String... args) {
        return new CommandTree(Arrays.stream(args)
                .filter(word -> !word.startsWith("-"))
                .limit(DEPTH)
                .toList());
    }

    /// A command with options, which its annotations tell.
    static Word word(String name, Supplier<Callable<Integer>> command) {
        return new Word(name, () -> annotated(command.get()));
    }

    /// A command without options.
    static Word word(String name, String description, Callable<Integer> command) {
        return new Word(name, () -> plain(name, description, command));
    }

    /// A word that needs another after it: the given one at `position`, if it is one of these.
    CommandLine group(int position, String name, String description, Word... words) {
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

    static CommandLine annotated(Callable<Integer> command) {
        return exact(new CommandLine(command));
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

    /// An argument `@name` is an argument, not a file to read more of them from.
    private static CommandLine exact(CommandLine commandLine) {
        return commandLine.setExpandAtFiles(false);
    }
}
