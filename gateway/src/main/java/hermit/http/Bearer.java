package hermit.http;

import hermit.problem.GatewayException.Unauthenticated;
import java.util.regex.Pattern;

/// The `Authorization` header.
public final class Bearer {
    /// RFC 6750: the scheme's name in any case, one or more spaces, and a token.
    private static final Pattern SHAPE = Pattern.compile("(?i:Bearer) +([!-~]+) *");

    private Bearer() {}

    /// The token in it. Throws [Unauthenticated] for another scheme.
    public static String token(String authorization) {
        var bearer = SHAPE.matcher(authorization);
        if (!bearer.matches()) throw new Unauthenticated("Send the token as 'Authorization: Bearer <token>'");
        return bearer.group(1);
    }
}
