package hermit.api;

import java.util.List;

/// Why a request was refused or failed (RFC 9457, `application/problem+json`).
///
/// - `type`: a URN made of the code.
/// - `code`: from a closed set; what programs branch on. `detail` is for people.
/// - `errors`: the fields that are wrong; empty where it is not about fields.
public record Problem(String type, String title, int status, String detail, String code, List<FieldError> errors) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public Problem {
        errors = List.copyOf(errors);
    }

    /// `path` names the field as in `config.memory_limit`; empty for the whole document.
    public record FieldError(String path, String message) {}
}
