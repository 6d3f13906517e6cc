package hermit.api;

/// Logs a browser in by a token.
public record LogIn(String token) {
    @Override
    public String toString() {
        return "LogIn[…]";
    }
}
