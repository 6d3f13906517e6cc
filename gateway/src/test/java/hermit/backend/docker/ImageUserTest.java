package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.problem.GatewayException.Unsupported;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ImageUserTest {
    private static final Optional<byte[]> PASSWD = Optional.of("""
            root:x:0:0:root:/root:/bin/bash
            garbage
            broken:x:many:0::/:
            node:x:1000:1001:Node,,,:/home/node:/bin/bash
            """.getBytes(StandardCharsets.UTF_8));

    private static ImageUser of(String username) {
        return ImageUser.of(username, PASSWD, "image");
    }

    @Test
    void a_name_is_looked_up() {
        assertThat(of("node")).isEqualTo(new ImageUser(1000, 1001));
        assertThat(of("root")).isEqualTo(ImageUser.ROOT);
    }

    @Test
    void a_number_takes_the_group_of_its_entry_or_its_own() {
        assertThat(of("1000")).isEqualTo(new ImageUser(1000, 1001));
        assertThat(of("4242")).isEqualTo(new ImageUser(4242, 4242));
        assertThat(of("1000:7")).isEqualTo(new ImageUser(1000, 7));
    }

    @Test
    void a_name_that_is_not_there_is_refused() {
        for (String name : new String[] {"nosuch", "broken", "garbage"})
            assertThatThrownBy(() -> of(name))
                    .isInstanceOf(Unsupported.class)
                    .hasMessage("image image has no user '%s'".formatted(name));
        assertThatThrownBy(() -> ImageUser.of("node", Optional.empty(), "image"))
                .isInstanceOf(Unsupported.class);
        assertThat(ImageUser.of("root", Optional.empty(), "image")).isEqualTo(ImageUser.ROOT);
    }
}
