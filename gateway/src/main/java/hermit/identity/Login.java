package hermit.identity;

/// Whom a ticket stands for.
public sealed interface Login {
    /// Whom a browser's login stands for.
    sealed interface Holder extends Login {}

    /// The bearer of a token, for as long as that is valid.
    record ByToken(TokenId token) implements Holder {}

    /// The admin, for as long as the admin token has this digest.
    record OfAdmin(String sha256) implements Holder {}

    /// A browser's login, for as long as that lasts: until it is logged out or expires. `sha256`: of its secret, by
    /// which it is known and nobody gets in.
    record OfBrowser(String sha256) implements Login {}
}
