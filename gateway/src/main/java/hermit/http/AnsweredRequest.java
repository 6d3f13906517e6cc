package hermit.http;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.problem.ProblemCode;
import java.util.Optional;

/// What can be told of a request without telling a secret: no header, no query and no body is among it.
///
/// - `address`: where the caller is, as far as the proxies in between are trusted.
/// - `method`, `template`: those of the route, e.g. `/api/agents/{id}`.
/// - `path`: what was asked for, percent-encoded.
/// - `standing`: how the caller stands to the agent in the path, once that is known.
/// - `location`: where what was made is found.
public record AnsweredRequest(
        String id,
        Caller caller,
        String address,
        Method method,
        String template,
        String path,
        Optional<Standing> standing,
        int status,
        Optional<ProblemCode> problem,
        Optional<String> location) {}
