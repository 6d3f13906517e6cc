package hermit.identity;

/// Whom a login or a ticket stands for.
public sealed interface Login {
    /// The bearer of a token, for as long as that is valid.
    record ByToken(TokenId token) implements Login {}

    /// The admin, for as long as the admin token has this digest.
    record OfAdmin(String sha256) implements Login {}
}
