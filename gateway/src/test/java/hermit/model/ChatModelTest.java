package hermit.model;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.config.ModelSettings;
import hermit.turn.Answer;
import hermit.turn.Message;
import hermit.turn.Model;
import hermit.turn.ModelFailure;
import hermit.turn.ModelServer;
import hermit.turn.ModelServer.Say;
import hermit.turn.Prompt;
import hermit.world.TestWorld;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is read of a provider's answer, of each kind of provider.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ChatModelTest {
    private static final Prompt HELLO = new Prompt("You are short.", List.of(new Message.User("hello")), List.of());

    private final ModelServer server = new ModelServer();
    private final Heard heard = new Heard();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(ModelSettings.Provider.class)
    void a_call_that_is_written_without_a_word_is_heard(ModelSettings.Provider provider) throws Exception {
        server.script(calls(call("exec", Map.of("command", "echo long"))));
        Answer answer = answer(provider);
        assertThat(answer.calls()).hasSize(1);
        assertThat(heard.text).isEmpty();
        assertThat(heard.times).isPositive();
    }

    @ParameterizedTest
    @EnumSource(ModelSettings.Provider.class)
    void signs_of_life_are_heard(ModelSettings.Provider provider) throws Exception {
        server.script(new Say.Hold(List.of("well"), heard.enough));
        assertThat(answer(provider).text()).isEqualTo("well");
        assertThat(heard.text).hasToString("well");
    }

    @ParameterizedTest
    @EnumSource(ModelSettings.Provider.class)
    void an_answer_without_end_is_given_up_and_not_asked_for_again(ModelSettings.Provider provider) {
        String much = "x".repeat(1 << 20);
        server.script(ModelServer.text(much, much, much, much));
        assertThatExceptionOfType(ModelFailure.class)
                .isThrownBy(() -> answer(provider))
                .satisfies(failure -> {
                    assertThat(failure.isPassing()).isFalse();
                    assertThat(failure.detail()).contains("far larger than its limit of tokens");
                });
    }

    @ParameterizedTest
    @EnumSource(ModelSettings.Provider.class)
    void a_server_that_does_not_speak_tls_is_not_asked_again(ModelSettings.Provider provider) throws Exception {
        try (var plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> refuseInTheClear(plain));
            assertThatExceptionOfType(ModelFailure.class)
                    .isThrownBy(() -> answer(provider, URI.create("https://127.0.0.1:" + plain.getLocalPort() + "/v1")))
                    .satisfies(failure -> {
                        assertThat(failure.isPassing()).isFalse();
                        assertThat(failure.detail())
                                .contains("No secure connection")
                                .doesNotContain("127.0.0.1");
                    });
        }
    }

    private static void refuseInTheClear(ServerSocket server) {
        try (var client = server.accept()) {
            client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Answer answer(ModelSettings.Provider provider) throws Exception {
        return answer(provider, server.url());
    }

    private Answer answer(ModelSettings.Provider provider, URI url) throws Exception {
        var settings = new ModelSettings(
                provider,
                Optional.of(url),
                "m-1",
                Optional.empty(),
                Optional.empty(),
                2_000,
                128_000,
                Optional.empty());
        try (var models = new ConfiguredModels(Map.of("m", settings), new TestWorld().world())) {
            return models.find("m").orElseThrow().answer(HELLO, heard);
        }
    }

    /// Lets a server that holds its answer back go on when it was heard a few times after its last word.
    private static final class Heard implements Model.Listener {
        private final StringBuilder text = new StringBuilder();
        private final CountDownLatch enough = new CountDownLatch(3);
        private int times;

        @Override
        public void said(String piece) {
            text.append(piece);
        }

        @Override
        public void heard() {
            times++;
            if (!text.isEmpty()) enough.countDown();
        }
    }
}
