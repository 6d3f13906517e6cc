package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;

/// `POST /api/approvals/{approval_id}/decision`.
///
/// - `decision`: `approve` or `deny`.
/// - `remember`: `once` (the default), `session` or `always`.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record DecideApproval(String decision, Optional<String> remember, Optional<String> reason) {}
