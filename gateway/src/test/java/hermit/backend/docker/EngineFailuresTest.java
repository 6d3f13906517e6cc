package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.exception.DockerException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class EngineFailuresTest {
    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(404, "No such container: 0a1b", BackendUnavailable.class),
                Arguments.of(404, "No such image: tools:1", Unsupported.class),
                Arguments.of(400, "invalid mount config", Unsupported.class),
                Arguments.of(409, "Container 0a1b is not running", Conflict.class),
                Arguments.of(500, "no space left on device", ProviderError.class),
                Arguments.of(500, "memory limit too low: 6MB", Unsupported.class));
    }

    /// A container that somebody removes while we work with it is no fault of the request: it may be sent again.
    @ParameterizedTest
    @MethodSource("answers")
    void what_the_engine_refuses_becomes_what_the_caller_can_act_on(int status, String message, Class<?> expected) {
        var answer = new DockerException("Status %d: {\"message\":\"%s\"}".formatted(status, message), status);
        assertThat(new EngineFailures(URI.create("unix:///var/run/docker.sock")).translate("read its log", answer))
                .isInstanceOf(expected)
                .hasMessage("read its log: " + message);
    }
}
