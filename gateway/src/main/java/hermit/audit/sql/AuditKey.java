package hermit.audit.sql;

import hermit.audit.AuditRecord;
import hermit.exec.Uuids;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Where a record stands in the list of all: by time, and among those of one moment by number and gateway.
record AuditKey(Instant at, long number, UUID gateway) {
    static AuditKey of(AuditRecord record) {
        return new AuditKey(record.entry().at(), record.number(), record.gateway());
    }

    static Optional<AuditKey> parse(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 3) return Optional.empty();
        try {
            var at = Instant.parse(parts[0]);
            long number = Long.parseLong(parts[1]);
            return Uuids.parse(parts[2]).map(gateway -> new AuditKey(at, number, gateway));
        } catch (DateTimeException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return at + " " + number + " " + gateway;
    }
}
