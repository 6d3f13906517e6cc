package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// One message and its answer, for programs and pipes: stdout is the answer alone.
record OneMessage(CliContext cli, ChatSession session) {
    /// The gateway takes less than 1 MiB; what is more is not read.
    private static final int MOST_BYTES = 1 << 20;

    /// What is to be said: this, or what stdin has.
    static String text(CliContext cli, Optional<String> message) throws CliFailure {
        try {
            var text = message.isPresent()
                    ? message.get()
                    : new String(cli.surroundings().in().readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            if (text.isBlank()) throw CliFailure.usage("There is nothing to say: give -m TEXT, or send it to stdin");
            return text.stripTrailing();
        } catch (IOException e) {
            throw CliFailure.local("stdin", "read stdin: " + e.getMessage());
        }
    }

    /// Says it, waits for the end of the turn, and prints the answer.
    int say(String text) throws Exception {
        JsonNode message = session.say(text);
        JsonNode turnId = message.path("data").path("turn_id");
        if (!turnId.isTextual())
            throw new CliFailure(
                    ExitCode.REFUSED,
                    "no_model",
                    "Agent '%s' has no model to answer with; the message is kept in session %s"
                            .formatted(session.agent(), session.id()));
        try (var _ = cli.surroundings().interrupts().guard(this::cancel)) {
            follow(message.path("id").asLong(), turnId.asText());
            JsonNode turn = session.turn(turnId.asText());
            print(turn);
            var reason = turn.path("reason").asText();
            if (reason.equals("done")) return ExitCode.OK;
            cli.output()
                    .note("The turn has ended: " + reason
                            + (turn.hasNonNull("detail")
                                    ? ": " + turn.path("detail").asText()
                                    : ""));
            return ExitCode.FAILED;
        }
    }

    private void print(JsonNode turn) {
        if (turn instanceof ObjectNode document) document.put("session_id", session.id());
        cli.output()
                .result(
                        turn,
                        cli.surroundings().outIsTerminal()
                                ? Output.printable(turn.path("text").asText())
                                : turn.path("text").asText());
    }

    private void follow(long after, String turnId) throws Exception {
        new Following(
                        cli.surroundings().pause(),
                        cli.output()::note,
                        session.events(after),
                        (name, event) -> {
                            if (name.equals("approval_required")) waits(event.path("data"));
                        },
                        (name, event) -> name.equals("turn_end")
                                && event.path("data").path("turn_id").asText().equals(turnId))
                .toTheEnd();
    }

    private void waits(JsonNode data) {
        cli.output()
                .note("%s %s waits for a decision: hermit approvals approve %s"
                        .formatted(
                                data.path("tool").asText(),
                                ApprovalText.what(data.path("call")),
                                data.path("approval_id").asText()));
    }

    private void cancel() {
        try {
            session.cancel();
        } catch (GatewayClientException e) {
            cli.output().note("Not cancelled. " + e.getMessage());
        }
    }
}
