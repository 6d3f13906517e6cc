package hermit.config;

import hermit.problem.FieldError;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The token whose holder is the gateway's admin. `origin` says where it was found: the environment, `.env`, or the
/// file that the first start has made.
public record AdminToken(Secret secret, String origin) {
    /// Characters that an `Authorization` header takes as they are (RFC 6750). Shorter than 16 could be guessed.
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~+/-]{16,512}=*");

    private static final String VARIABLE = "HERMIT_ADMIN_TOKEN";
    private static final String PREFIX = "hermit_admin_";
    private static final int RANDOM_BYTES = 32;

    /// What the operator has set, if anything.
    static Optional<AdminToken> given(Environment environment, List<FieldError> mistakes) {
        return environment.secret(VARIABLE).map(secret -> {
            if (!SHAPE.matcher(secret.reveal()).matches())
                mistakes.add(new FieldError(
                        VARIABLE, "must have at least 16 characters, all of them letters, digits or . _ ~ + / -"));
            return new AdminToken(
                    secret, String.valueOf(environment.origin(VARIABLE).orElseThrow()));
        });
    }

    /// The one in the home directory; made there if this is the first start.
    static AdminToken kept(Home home, SecureRandom random, List<FieldError> mistakes) {
        String text = home.textOrMake(Home.ADMIN_TOKEN, fresh(random) + "\n").strip();
        home.mustBePrivate(Home.ADMIN_TOKEN);
        if (!SHAPE.matcher(text).matches()) {
            mistakes.add(new FieldError(
                    Home.ADMIN_TOKEN, "holds no token; delete the file, and the next start makes a new one"));
            text = PREFIX;
        }
        return new AdminToken(new Secret(text), Home.ADMIN_TOKEN);
    }

    private static String fresh(SecureRandom random) {
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
