package hermit.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/// A token that was just made; the fields of `token` stand beside `secret`, which is shown this once.
public record IssuedToken(String secret, @JsonUnwrapped Token token) {
    @Override
    public String toString() {
        return "IssuedToken[" + token + "]";
    }
}
