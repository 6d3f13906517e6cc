package hermit.http;

import hermit.access.Caller;
import hermit.problem.GatewayException.Unauthenticated;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Knows the gateway's one admin token, by its digest only.
public final class AdminToken implements Authenticator {
    private final byte[] sha256;
    private final FailedLogins failedLogins;

    public AdminToken(String token, FailedLogins failedLogins) {
        if (token.isBlank()) throw new IllegalArgumentException("the admin token is blank");
        this.sha256 = sha256(token);
        this.failedLogins = failedLogins;
    }

    @Override
    public Identified authenticate(Credentials credentials) {
        if (credentials.authorization().isEmpty()) return Identified.NOBODY;
        String token = Bearer.token(credentials.authorization().get());
        failedLogins.check(credentials.address());
        if (is(token)) return Identified.of(new Caller.Admin());
        failedLogins.failed(credentials.address());
        throw new Unauthenticated("The token is not valid");
    }

    /// Digests are of one length, so the time that comparing takes says nothing about the token.
    public boolean is(String token) {
        return MessageDigest.isEqual(sha256, sha256(token));
    }

    /// SHA-256 in hex.
    public String digest() {
        return HexFormat.of().formatHex(sha256);
    }

    private static byte[] sha256(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
