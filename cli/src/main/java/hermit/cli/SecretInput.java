package hermit.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/// Secrets that people give. Never as an argument: everybody on the machine sees those, and shells remember
/// them. They are asked for at the terminal, or read from stdin where that is none.
record SecretInput(Surroundings surroundings) {
    /// The gateway takes up to 512 characters; more bytes than these can hold are not read.
    private static final int MOST_BYTES = 4_096;

    /// What can stand in a header.
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,512}");

    private static final Pattern LINE = Pattern.compile("[^\\p{Cntrl}]{1,512}");

    /// A token of the gateway.
    String token() throws CliFailure {
        var token = read("Token").strip();
        if (!TOKEN.matcher(token).matches())
            throw CliFailure.usage(
                    "The token must be one word of 1 to 512 characters, typed at the prompt or sent to stdin");
        return token;
    }

    /// The `access_token` of an agent. Spaces are part of it.
    String accessToken() throws CliFailure {
        var token = read("Access token");
        if (token.isBlank() || !LINE.matcher(token).matches())
            throw CliFailure.usage(
                    "access_token must be one line of 1 to 512 characters, typed at the prompt or sent to stdin");
        return token;
    }

    private String read(String what) throws CliFailure {
        Optional<String> typed = surroundings.prompt().ask(what + ": ");
        if (typed.isPresent()) return typed.get();
        try {
            byte[] bytes = surroundings.in().readNBytes(MOST_BYTES);
            return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\\r?\\n\\z", "");
        } catch (IOException e) {
            throw CliFailure.local("stdin", "read stdin: " + e.getMessage());
        }
    }
}
