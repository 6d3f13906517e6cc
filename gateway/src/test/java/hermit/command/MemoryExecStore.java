package hermit.command;

import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.sandbox.SandboxId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/// Commands' rows in memory, by the same rules as the database's.
public final class MemoryExecStore implements ExecStore {
    private final Map<ExecId, ExecRecord> rows =
            new TreeMap<>(Comparator.comparing(ExecId::toString).reversed());
    private final Map<ExecId, StoredOutput> outputs = new HashMap<>();
    private final Set<ExecId> cancelled = new HashSet<>();

    @Override
    public synchronized Optional<ExecRecord> insert(ExecRecord record, Instant keysSince) {
        if (record.idempotencyKey().isPresent()) {
            var key = record.idempotencyKey().get().key();
            for (ExecRecord each : rows.values()) {
                boolean same = each.sandboxId().equals(record.sandboxId())
                        && each.caller().equals(record.caller())
                        && each.idempotencyKey()
                                .filter(other -> other.key().equals(key))
                                .isPresent();
                if (same && !each.createdAt().isBefore(keysSince)) return Optional.of(each);
            }
        }
        rows.put(record.id(), record);
        return Optional.empty();
    }

    @Override
    public synchronized void started(ExecRecord record) {
        rows.computeIfPresent(record.id(), (_, old) -> old.outcome().isPresent() ? old : record);
        notifyAll();
    }

    /// Waits until the row says that the command runs.
    synchronized void awaitStarted(ExecId id) throws InterruptedException {
        while (!rows.containsKey(id) || rows.get(id).startedAt().isEmpty()) wait();
    }

    @Override
    public synchronized boolean ended(ExecRecord record, StoredOutput output) {
        ExecRecord old = rows.get(record.id());
        if (old == null || old.outcome().isPresent()) return false;
        rows.put(record.id(), record);
        if (output.size() > 0) outputs.put(record.id(), output);
        return true;
    }

    @Override
    public synchronized boolean cancel(ExecId id, Instant now) {
        ExecRecord row = rows.get(id);
        if (row == null || row.outcome().isPresent()) return false;
        cancelled.add(id);
        return true;
    }

    @Override
    public synchronized List<ExecId> cancelled(UUID gateway) {
        return open(gateway).stream()
                .map(ExecRecord::id)
                .filter(cancelled::contains)
                .toList();
    }

    @Override
    public synchronized Optional<ExecRecord> find(SandboxId sandbox, ExecId id) {
        return Optional.ofNullable(rows.get(id))
                .filter(record -> record.sandboxId().equals(sandbox));
    }

    @Override
    public synchronized StoredOutput output(ExecId id) {
        return outputs.getOrDefault(id, StoredOutput.NONE);
    }

    @Override
    public synchronized long outputBytes() {
        return outputs.values().stream().mapToLong(StoredOutput::size).sum();
    }

    @Override
    public synchronized long dropOutput(long bytes, int limit, String note) {
        var oldest = rows.values().stream()
                .filter(record -> outputs.containsKey(record.id()))
                .sorted(Comparator.comparing(
                        record -> record.outcome().orElseThrow().endedAt()))
                .limit(limit)
                .toList();
        long gone = 0;
        for (ExecRecord each : oldest) {
            if (gone >= bytes) break;
            var notes = new ArrayList<>(each.notes());
            notes.add(note);
            rows.put(
                    each.id(), each.ended(each.outcome().orElseThrow(), each.stdoutBytes(), each.stderrBytes(), notes));
            gone += Objects.requireNonNull(outputs.remove(each.id())).size();
        }
        return gone;
    }

    @Override
    public synchronized Page<ExecRecord> list(SandboxId sandbox, ExecFilter filter, PageRequest page) {
        var found = rows.values().stream()
                .filter(record -> record.sandboxId().equals(sandbox))
                .filter(record -> filter == ExecFilter.ALL || record.outcome().isEmpty())
                .filter(record -> page.after()
                        .map(key -> record.id().toString().compareTo(key) < 0)
                        .orElse(true))
                .limit(page.limit() + 1L)
                .toList();
        return Page.of(found, page.limit(), record -> record.id().toString());
    }

    @Override
    public synchronized List<ExecRecord> open(UUID gateway) {
        return rows.values().stream()
                .filter(record ->
                        record.gateway().equals(gateway) && record.outcome().isEmpty())
                .toList();
    }

    @Override
    public synchronized List<ExecId> lost(SandboxId sandbox, long generation, Instant endedSince, int limit) {
        return rows.values().stream()
                .filter(record -> record.sandboxId().equals(sandbox) && record.generation() == generation)
                .filter(record -> record.outcome()
                        .filter(each -> EndReason.LOST.contains(each.reason())
                                && !each.endedAt().isBefore(endedSince))
                        .isPresent())
                .map(ExecRecord::id)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized int prune(Instant endedBefore, int limit) {
        var old = rows.values().stream()
                .filter(record -> record.outcome()
                        .filter(each -> each.endedAt().isBefore(endedBefore))
                        .isPresent())
                .limit(limit)
                .map(ExecRecord::id)
                .toList();
        old.forEach(rows::remove);
        old.forEach(outputs::remove);
        return old.size();
    }
}
