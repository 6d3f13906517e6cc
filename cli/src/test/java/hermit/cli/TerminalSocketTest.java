package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import hermit.api.GatewayClient;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import hermit.api.GatewayClientSocket;
import hermit.api.GatewayClientSocket.Frame;
import hermit.api.JsonTree;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// [GatewayClientSocket] against a real socket.
@DisplayNameGeneration(ReplaceUnderscores.class)
class TerminalSocketTest {
    private final FakeTerminalGateway server = new FakeTerminalGateway();
    private final GatewayClient client = new GatewayClient(URI.create(server.url() + "/"), Optional.of("secret"));

    @AfterEach
    void stop() {
        server.close();
    }

    private GatewayClientSocket open() throws Exception {
        return client.socket("/api/x");
    }

    @Test
    void frames_go_both_ways_in_order() throws Exception {
        try (var socket = open()) {
            var there = server.connection();
            var long1 = "x".repeat(60_000);
            there.prints("a").says("{\"type\":\"t\"}").prints(long1).closes(1001);
            assertThat(bytes(socket)).isEqualTo("a");
            assertThat(socket.next()).isEqualTo(new Frame.Message(JsonTree.parse("{\"type\":\"t\"}")));
            // A large frame may come in pieces.
            var got = new StringBuilder();
            while (got.length() < long1.length()) got.append(bytes(socket));
            assertThat(got).hasToString(long1);
            assertThat(socket.next()).isEqualTo(new Frame.Closed(1001, ""));
        }
        try (var socket = open()) {
            var there = server.connection();
            socket.send(new byte[] {'k'});
            socket.send(JsonTree.object().put("type", "x"));
            assertThat(there.keys()).isEqualTo("k");
            assertThat(there.message().toString()).isEqualTo("{\"type\":\"x\"}");
        }
        assertThat(server.asked().getFirst().headers()).containsEntry("Authorization", "Bearer secret");
    }

    private static String bytes(GatewayClientSocket socket) throws Exception {
        return new String(((Frame.Bytes) socket.next()).bytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void a_refused_upgrade_is_the_problem_as_it_came() {
        server.refuse(409, "busy");
        assertThatThrownBy(this::open).asInstanceOf(type(Refused.class)).satisfies(refused -> {
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.code()).isEqualTo("busy");
        });
    }

    @Test
    void a_redirect_is_not_followed() {
        server.refuse(302, "elsewhere");
        assertThatThrownBy(this::open).isInstanceOf(Refused.class);
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void nobody_there_is_told_apart_from_a_connection_that_breaks() throws Exception {
        try (var socket = open()) {
            server.connection().breaks();
            assertThatThrownBy(socket::next)
                    .asInstanceOf(type(Unreachable.class))
                    .satisfies(lost -> assertThat(lost.stage()).isEqualTo(Stage.BROKEN));
            assertThatThrownBy(() -> socket.send(new byte[] {1})).isInstanceOf(Unreachable.class);
        }
        server.close();
        assertThatThrownBy(this::open)
                .asInstanceOf(type(Unreachable.class))
                .satisfies(lost -> assertThat(lost.stage()).isEqualTo(Stage.CONNECTING));
    }

    @Test
    void whoever_closes_says_so_to_the_other_side() throws Exception {
        var socket = open();
        var there = server.connection();
        socket.close();
        assertThat(there.closed()).isEqualTo(1000);
        assertThatThrownBy(socket::next).isInstanceOf(Unreachable.class);
    }

    @Test
    void a_message_that_is_no_json_breaks_the_connection() throws Exception {
        try (var socket = open()) {
            server.connection().says("{");
            assertThatThrownBy(socket::next).isInstanceOf(Unreachable.class);
        }
    }
}
