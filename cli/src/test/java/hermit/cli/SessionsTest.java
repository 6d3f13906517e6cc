package hermit.cli;

import static hermit.cli.FakeGateway.event;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.api.JsonTree;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SessionsTest extends CliTest {
    private static final String SESSIONS = "/api/agents/main/sessions";
    private static final String EVENTS = "GET " + SESSIONS + "/s1/events";

    private static String said(int id, String text) {
        return event(
                Integer.toString(id),
                "user_message",
                "{\"id\":%d,\"type\":\"user_message\",\"at\":\"T%d\",\"data\":{\"author\":\"user:u1\",\"text\":\"%s\"}}"
                        .formatted(id, id, text));
    }

    private void session(int lastEvent) {
        gateway.on(
                "GET " + SESSIONS + "/s1",
                200,
                "{\"session_id\":\"s1\",\"state\":\"open\",\"last_event_id\":%d}".formatted(lastEvent));
    }

    @Test
    void they_are_listed() {
        gateway.on(
                "GET " + SESSIONS + "?limit=1000",
                200,
                list(
                        "{\"session_id\":\"s1\",\"state\":\"open\",\"owner\":\"user:u1\",\"last_event_id\":7,\"created_at\":\"C\",\"last_active_at\":\"A\"}"));
        assertThat(hermit("sessions", "list").out()).isEqualTo("""
                SESSION ID  STATE  OWNER    EVENTS  CREATED  LAST ACTIVE
                s1          open   user:u1  7       C        A
                """);
    }

    @Test
    void opening_prints_the_id_alone() {
        gateway.on("POST " + SESSIONS, 201, "{\"session_id\":\"s1\"}");
        assertThat(hermit("sessions", "open").out()).isEqualTo("s1\n");
        assertThat(gateway.last().body().toString()).isEqualTo("{\"source\":{\"kind\":\"cli\",\"interactive\":false}}");
        terminal = true;
        hermit(
                "sessions",
                "open",
                "--resume",
                "s1",
                "--metadata",
                "topic=weather=fine",
                "--channel",
                "irc",
                "--channel-user-id",
                "ann");
        assertThat(gateway.last().body().toString())
                .isEqualTo(
                        "{\"session_id\":\"s1\",\"source\":{\"kind\":\"cli\",\"interactive\":true},\"metadata\":{\"topic\":\"weather=fine\"},\"sender\":{\"channel\":\"irc\",\"channel_user_id\":\"ann\"}}");
    }

    @Test
    void opening_with_half_of_something_is_a_mistake() {
        assertThat(hermit("sessions", "open", "--metadata", "topic").err()).contains("--metadata");
        assertThat(hermit("sessions", "open", "--channel", "irc").err()).contains("--channel-user-id");
        assertThat(hermit("sessions", "events", "s1", "--after", "-1").err()).contains("--after");
        assertThat(hermit("sessions", "events").code()).isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void one_is_shown_ended_and_deleted() {
        session(0);
        gateway.on("POST " + SESSIONS + "/s1/end", 200, "{\"session_id\":\"s1\",\"state\":\"ended\"}")
                .on("DELETE " + SESSIONS + "/s1", 204, "");
        assertThat(hermit("sessions", "show", "s1").out()).contains("state          open\n");
        assertThat(hermit("sessions", "end", "s1").out()).isEqualTo("Session s1 has ended\n");
        assertThat(hermit("sessions", "delete", "s1", "--json").json().toString())
                .isEqualTo("{\"agent_id\":\"main\",\"deleted\":\"s1\"}");
    }

    @Test
    void events_are_printed_up_to_the_last_one_that_there_was() {
        session(3);
        gateway.events(EVENTS, said(2, "a\\u202eb\\nc"), said(3, "d"), said(4, "too late"));
        assertThat(hermit("sessions", "events", "s1", "--after", "1").out()).isEqualTo("""
                2  T2  user_message  user:u1  a⟦U+202E⟧b⟦U+000A⟧c
                3  T3  user_message  user:u1  d
                """);
        assertThat(gateway.last().headers()).containsEntry("Last-event-id", "1");
        assertThat(hermit("sessions", "events", "s1", "--after", "1", "--json")
                        .json()
                        .path("items"))
                .hasSize(2);
    }

    @Test
    void a_session_without_events_is_an_empty_list() {
        session(0);
        assertThat(hermit("sessions", "events", "s1", "--json").json().toString())
                .isEqualTo("{\"items\":[]}");
        assertThat(gateway.asked()).hasSize(1);
    }

    @Test
    void events_that_end_too_early_or_are_taken_away_are_a_failure() {
        session(3);
        gateway.events(EVENTS, said(1, "a"));
        assertThat(hermit("sessions", "events", "s1").code()).isEqualTo(3);
        gateway.events(EVENTS, said(1, "a"), event("error", "{\"status\":403,\"detail\":\"no longer\"}"));
        var refused = hermit("sessions", "events", "s1");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).isEqualTo("hermit: no longer\n");
    }

    @Test
    void events_of_every_type_are_a_line() {
        session(1);
        gateway.events(
                EVENTS,
                event(
                        "1",
                        "tool_call",
                        "{\"id\":1,\"type\":\"tool_call\",\"at\":\"T\",\"data\":{\"author\":\"admin\",\"tool\":\"exec\"}}"));
        assertThat(hermit("sessions", "events", "s1").out()).isEqualTo("1  T  tool_call  admin  {\"tool\":\"exec\"}\n");
    }

    @Test
    void followed_events_go_on_behind_the_last_one_over_a_connection_that_breaks() throws Exception {
        var connections = new AtomicInteger();
        gateway.on(
                EVENTS,
                exchange -> FakeGateway.send(
                        exchange,
                        200,
                        "text/event-stream",
                        switch (connections.incrementAndGet()) {
                            case 1 -> said(1, "a");
                            case 2 -> said(2, "b");
                            default -> event("error", "{\"status\":404,\"code\":\"not_found\",\"detail\":\"gone\"}");
                        }));
        var ended = hermit("sessions", "events", "s1", "--follow", "--json");
        assertThat(ended.code()).isEqualTo(1);
        List<String> lines = ended.out().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(JsonTree.parse(lines.get(1)).path("id").asInt()).isEqualTo(2);
        assertThat(JsonTree.parse(lines.get(2)).path("detail").asText()).isEqualTo("gone");
        assertThat(gateway.asked())
                .extracting(asked -> asked.headers().get("Last-event-id"))
                .containsExactly("0", "1", "2");
    }
}
