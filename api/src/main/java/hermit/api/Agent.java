package hermit.api;

import java.time.Instant;
import java.util.UUID;

/// An agent. `id` is the name by which it is addressed; `uid` is never used again, also when the id is.
public record Agent(String id, UUID uid, String name, Instant createdAt, Instant updatedAt) {}
