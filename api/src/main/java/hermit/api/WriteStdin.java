package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;

/// `POST …/execs/{exec_id}/stdin`. `encoding` of `data`: `utf8` (the default) or `base64`; `close`: nothing follows.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record WriteStdin(Optional<String> data, Optional<String> encoding, Optional<Boolean> close) {}
