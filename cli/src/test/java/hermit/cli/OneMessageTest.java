package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// `hermit chat` without a terminal, or with one message.
class OneMessageTest extends CliTest {
    private final FakeSession session = new FakeSession(gateway);

    private void turn(String reason) {
        gateway.on(
                "GET " + FakeSession.PATH + "/s1/turns/t1",
                200,
                "{\"id\":\"t1\",\"reason\":\"%s\",\"detail\":null,\"text\":\"Two files\"}".formatted(reason));
        session.answering(() -> session.says("I look").says("Two files").ends(reason));
    }

    @Test
    void what_stdin_has_is_said_and_the_answer_alone_is_printed() {
        turn("done");
        typed("look\naround\n");
        var ended = hermit("chat");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("Two files\n");
        assertThat(ended.err()).isEmpty();
        assertThat(gateway.asked().stream()
                        .filter(each -> each.path().endsWith("/messages"))
                        .findFirst()
                        .orElseThrow()
                        .body()
                        .toString())
                .isEqualTo("{\"text\":\"look\\naround\"}");
    }

    @Test
    void with_json_it_is_the_turn_with_its_session() {
        turn("done");
        assertThat(hermit("chat", "--json", "-m", "look").json().toString())
                .isEqualTo(
                        "{\"id\":\"t1\",\"reason\":\"done\",\"detail\":null,\"text\":\"Two files\",\"session_id\":\"s1\"}");
    }

    @Test
    void a_turn_that_is_not_done_is_a_failure() {
        turn("max_steps");
        var ended = hermit("chat", "-m", "look");
        assertThat(ended.code()).isEqualTo(4);
        assertThat(ended.out()).isEqualTo("Two files\n");
        assertThat(ended.err()).isEqualTo("hermit: The turn has ended: max_steps\n");
    }

    @Test
    void what_waits_for_a_decision_and_errors_are_told_beside_the_answer() {
        turn("done");
        session.answering(() -> session.tell(
                        "approval_required",
                        "{\"approval_id\":\"p1\",\"tool\":\"exec\",\"call\":{\"command\":\"rm \\u202ex\"}}")
                .tell("error", "{\"code\":\"x\",\"detail\":\"away\"}")
                .ends("done"));
        var ended = hermit("chat", "-m", "look");
        assertThat(ended.code()).isZero();
        assertThat(ended.err())
                .isEqualTo("hermit: exec rm ⟦U+202E⟧x waits for a decision: hermit approvals approve p1\n");
    }

    @Test
    void ctrl_c_cancels_the_turn() {
        turn("cancelled");
        gateway.on("POST " + FakeSession.PATH + "/s1/cancel", exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            session.ends("cancelled");
        });
        session.answering(() -> Thread.startVirtualThread(() -> {
            while (interrupts.guarding() == 0) Thread.onSpinWait();
            interrupts.press();
        }));
        assertThat(hermit("chat", "-m", "look").code()).isEqualTo(4);
        assertThat(interrupts.guarding()).isZero();
    }

    @Test
    void nothing_to_say_and_nobody_who_answers_are_mistakes() {
        typed(" \n");
        assertThat(hermit("chat").code()).isEqualTo(2);
        assertThat(hermit("chat", "--last", "--session", "s1", "-m", "x").code())
                .isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
        gateway.on("POST " + FakeSession.PATH + "/s1/messages", 201, "{\"id\":1,\"data\":{}}");
        var ended = hermit("chat", "-m", "x", "--json");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.json().path("code").asText()).isEqualTo("no_model");
    }
}
