package hermit.api;

import java.time.Instant;

/// Opens one socket or event stream, once, as the query parameter `ticket`.
public record Ticket(String ticket, Instant expiresAt) {
    @Override
    public String toString() {
        return "Ticket[until " + expiresAt + "]";
    }
}
