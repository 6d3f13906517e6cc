package hermit.audit.http;

import hermit.api.AuditEnd;
import hermit.audit.AuditRecord;
import java.util.Iterator;
import java.util.NoSuchElementException;

/// All records, and at last a line that says how many they were.
final class ExportedLines implements Iterator<Record> {
    private final Iterator<AuditRecord> records;
    private long count;
    private boolean ended;

    ExportedLines(Iterator<AuditRecord> records) {
        this.records = records;
    }

    @Override
    public boolean hasNext() {
        return !ended;
    }

    @Override
    public Record next() {
        if (records.hasNext()) {
            count++;
            return AuditJson.record(records.next());
        }
        if (ended) throw new NoSuchElementException();
        ended = true;
        return new AuditEnd(true, count);
    }
}
