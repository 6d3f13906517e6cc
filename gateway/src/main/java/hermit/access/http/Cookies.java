package hermit.access.http;

import hermit.http.Authenticator;
import java.time.Duration;

/// The cookie of a login. No script reads it, no other site makes a browser send it.
final class Cookies {
    private Cookies() {}

    /// `secure`: whether the browser came by TLS; one that did not would not send a secure cookie back.
    static String of(String secret, boolean secure, Duration lasts) {
        return "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s"
                .formatted(Authenticator.LOGIN_COOKIE, secret, lasts.toSeconds(), secure ? "; Secure" : "");
    }

    static String gone(boolean secure) {
        return of("", secure, Duration.ZERO);
    }
}
