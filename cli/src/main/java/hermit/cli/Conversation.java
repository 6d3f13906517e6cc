package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.cli.ChatHappening.Asked;
import hermit.cli.ChatHappening.Gone;
import hermit.cli.ChatHappening.Interrupted;
import hermit.cli.ChatHappening.Lost;
import hermit.cli.ChatHappening.TurnEnded;
import hermit.cli.ChatScreen.Typed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// A conversation at a terminal: a line is asked for and said, and its answer shown, until somebody leaves.
/// What happens in the session is shown by [ChatLog], on a thread of its own; here is what has to be answered.
final class Conversation {
    static final List<String> WORDS = List.of("/decide", "/help", "/quit", "/sessions", "/show");

    private static final String PROMPT = "› ";

    /// So many times Ctrl-C in one turn.
    private static final int LEAVING = 3;

    private static final String HELP = """
            /decide      answer what waits for a decision
            /sessions    the latest sessions with this agent
            /show [N]    all of call N and what it printed; of the last one without N
            /quit        leave; so does Ctrl-D. The session stays open
            //TEXT       say something that begins with a slash
            Ctrl-C       cancel the turn; at the prompt, twice: leave. So does a third one
                         while a turn does not end""";

    private final CliContext cli;
    private final ChatSession session;
    private final ChatScreen screen;
    private final ChatLog log;
    private final ChatApproval approval;
    private final BlockingQueue<ChatHappening> happenings;
    private Optional<Thread> cancelling = Optional.empty();

    private Conversation(
            CliContext cli,
            ChatSession session,
            ChatScreen screen,
            ChatLog log,
            BlockingQueue<ChatHappening> happenings) {
        this.cli = cli;
        this.session = session;
        this.screen = screen;
        this.log = log;
        this.approval = new ChatApproval(cli, session, screen, log);
        this.happenings = happenings;
    }

    /// Returns when somebody has left.
    ///
    /// @throws GatewayClientException if the gateway stays away
    static void hold(CliContext cli, ChatSession session) throws Exception {
        var happenings = new LinkedBlockingQueue<ChatHappening>();
        try (ChatScreen screen = ChatScreen.open(
                cli, WORDS, () -> happenings.add(new Interrupted()), () -> happenings.add(new Gone()))) {
            var log = new ChatLog(screen, session.me(), session.past(), happenings::add);
            try (var _ = ChatFollower.start(cli, session, screen, log, happenings)) {
                new Conversation(cli, session, screen, log, happenings).goOn();
            }
        }
    }

    private void goOn() throws Exception {
        screen.line(screen.dim("Agent '%s', session %s. /help tells what can be typed."
                .formatted(Output.printable(session.agent()), session.id())));
        boolean leaving = false;
        while (true) {
            Typed typed = screen.read(PROMPT);
            failIfLost();
            switch (typed) {
                case Typed.Left _ -> {
                    return;
                }
                case Typed.Interrupted(String text) -> {
                    if (leaving) return;
                    leaving = text.isEmpty();
                    if (leaving) screen.line(screen.dim("Ctrl-C once more leaves"));
                }
                case Typed.Line(String text) -> {
                    leaving = false;
                    if (!answered(text.strip())) return;
                }
            }
        }
    }

    /// The follower gives up only when the gateway has been looked for long enough.
    private void failIfLost() throws GatewayClientException {
        for (ChatHappening each : happenings) if (each instanceof Lost(var why)) throw why;
    }

    /// Whether the conversation goes on.
    private boolean answered(String text) throws Exception {
        if (text.isEmpty()) return true;
        if (text.startsWith("//")) return say(text.substring(1));
        if (!text.startsWith("/")) return say(text);
        String[] words = text.split("\\s+", 2);
        switch (words[0]) {
            case "/quit" -> {
                return false;
            }
            case "/help" -> screen.line(HELP);
            case "/sessions" -> sessions();
            case "/show" -> show(words.length > 1 ? words[1] : "");
            case "/decide" -> {
                return decide();
            }
            default -> screen.line("There is no %s; /help tells what there is".formatted(Output.printable(words[0])));
        }
        return true;
    }

    private boolean say(String text) throws Exception {
        // Ends of other turns, and what was asked at the prompt, have been shown.
        happenings.removeIf(each -> !(each instanceof Gone) && !(each instanceof Lost));
        log.expect(text);
        JsonNode message;
        try {
            message = session.say(text);
        } catch (Refused e) {
            log.forget(text);
            screen.line("! " + Output.printable(String.valueOf(e.getMessage())));
            return true;
        } catch (Unreachable e) {
            screen.line("! Not known to have been said. " + Output.printable(String.valueOf(e.getMessage())));
            return true;
        }
        JsonNode turn = message.path("data").path("turn_id");
        if (turn.isTextual()) return untilItEnds(turn.asText());
        screen.line(screen.dim("Nobody answers: the agent has no model. What is said is kept"));
        return true;
    }

    /// Whether the conversation goes on.
    private boolean untilItEnds(String turnId) throws Exception {
        int interrupts = 0;
        while (true) {
            switch (happenings.take()) {
                case TurnEnded(String ended) -> {
                    if (!ended.equals(turnId)) break;
                    // Or what is said next would be cancelled.
                    if (cancelling.isPresent()) cancelling.get().join();
                    return true;
                }
                case Asked(String id) -> {
                    switch (approval.ask(id)) {
                        case ANSWERED -> {}
                        case INTERRUPTED -> interrupts = interrupted(interrupts);
                        case LEFT -> {
                            return false;
                        }
                    }
                }
                case Interrupted _ -> interrupts = interrupted(interrupts);
                case Lost(var why) -> throw why;
                case Gone _ -> {
                    return false;
                }
            }
            if (interrupts == LEAVING) return false;
        }
    }

    /// What comes of Ctrl-C during a turn: the first cancels it, and a gateway that does not answer keeps nobody. How
    /// many there were.
    private int interrupted(int before) {
        // Not waited for: what has been cancelled ends a little later, and its events tell.
        if (before == 0)
            cancelling = Optional.of(Thread.ofVirtual().name("cancel").start(this::cancel));
        else if (before + 1 < LEAVING) screen.line(screen.dim("It is being cancelled. Ctrl-C once more leaves"));
        return before + 1;
    }

    private void cancel() {
        try {
            session.cancel();
        } catch (GatewayClientException e) {
            screen.line("! Not cancelled. " + Output.printable(String.valueOf(e.getMessage())));
        }
    }

    private boolean decide() throws Exception {
        List<String> waiting = log.waiting();
        if (waiting.isEmpty()) screen.line("Nothing waits for a decision");
        for (String id : waiting)
            switch (approval.ask(id)) {
                case ANSWERED -> {}
                case INTERRUPTED -> {
                    return true;
                }
                case LEFT -> {
                    return false;
                }
            }
        return true;
    }

    private void sessions() throws CliFailure {
        try {
            var table = new Table("SESSION ID", "STATE", "OWNER", "LAST ACTIVE");
            for (JsonNode each :
                    cli.list(Sessions.path(session.agent()), "", 20).path("items"))
                table.row(
                        Details.value(each.path("session_id")),
                        Details.value(each.path("state")),
                        Details.value(each.path("owner")),
                        Details.value(each.path("last_active_at")));
            screen.line(table.render(cli.output().colours()).stripTrailing());
            screen.line(screen.dim("hermit chat --session ID goes on in one of them"));
        } catch (GatewayClientException e) {
            screen.line("! " + Output.printable(String.valueOf(e.getMessage())));
        }
    }

    private void show(String number) {
        if (!number.isEmpty() && !number.matches("[0-9]{1,6}")) {
            screen.line("/show needs the number of a call, as in /show 2");
            return;
        }
        Optional<Integer> wanted = number.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(number));
        screen.line(log.calls().unfolded(wanted).orElse("There is no such call here"));
    }
}
