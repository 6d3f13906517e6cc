package hermit.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `hermit chat`.
@Command(
        name = "chat",
        description = {
            "Talks with an agent that has a model: at the terminal, or once.",
            "",
            "With -m, or where stdin or stdout is no terminal, one message is said (of -m, or all of stdin), and its"
                    + " answer alone is printed.",
            ""
        })
final class Chat implements Callable<Integer> {
    private final CliContext cli;

    @Mixin
    private AgentOption agent = new AgentOption();

    @ArgGroup
    private Which which = new Which();

    static final class Which {
        @Option(names = "--session", paramLabel = "SESSION_ID", description = "Go on in this session.")
        private Optional<String> session = Optional.empty();

        @Option(names = "--last", description = "Go on in your session in which something has happened last.")
        private boolean last;
    }

    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "Say this, and print the answer.")
    private Optional<String> message = Optional.empty();

    Chat(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        boolean once = message.isPresent()
                || cli.output().json()
                || cli.surroundings().terminals().equals(LocalTerminals.NONE);
        if (once) {
            // Before a session is opened: there may be nothing to say.
            var text = OneMessage.text(cli, message);
            return new OneMessage(cli, session(false)).say(text);
        }
        var session = session(true);
        Conversation.hold(cli, session);
        cli.output().note("Go on with: hermit chat --agent %s --session %s".formatted(session.agent(), session.id()));
        return ExitCode.OK;
    }

    private ChatSession session(boolean interactive) throws Exception {
        var name = agent.in(cli);
        if (which.session.isPresent()) return ChatSession.resume(cli, name, interactive, which.session.get());
        return which.last ? ChatSession.last(cli, name, interactive) : ChatSession.open(cli, name, interactive);
    }
}
