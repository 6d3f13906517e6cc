package hermit.http;

import hermit.problem.GatewayException.Invalid;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Predicate;

/// A list's key as an opaque word, so that nobody builds one by hand and each list may change what its key is.
final class Cursors {
    private static final int MAX_LENGTH = 1_024;

    private Cursors() {}

    static String encode(String key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    /// Throws [Invalid] for what never was a cursor.
    static String decode(String cursor, Predicate<String> isKey) {
        if (cursor.isEmpty() || cursor.length() > MAX_LENGTH) throw bad();
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(cursor);
            String key = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (!isKey.test(key)) throw bad();
            return key;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw bad();
        }
    }

    private static Invalid bad() {
        return new Invalid("cursor", "is not a cursor that this list has given");
    }
}
