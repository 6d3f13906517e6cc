package hermit.command;

import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.sandbox.SandboxId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// How commands' rows are kept. Each call is one transaction.
public interface ExecStore {
    /// Writes a new row. If it has an idempotency key that a row of the same sandbox and caller, made at or after
    /// `keysSince`, has already, that row is returned
    /// and nothing is written; an older row's key is given up.
    Optional<ExecRecord> insert(ExecRecord record, Instant keysSince);

    /// Notes that the command runs: `started_at`, generation and notes. Does nothing to one that has ended.
    void started(ExecRecord record);

    /// Writes the outcome and the output of a row that has none yet; false if it has been ended before, which stays.
    boolean ended(ExecRecord record, StoredOutput output);

    /// Notes that somebody has asked for its end; the first time stays. False if it has ended.
    boolean cancel(ExecId id, Instant now);

    /// Commands of which somebody has asked for the end and that have not ended, of those that this gateway watches
    /// (or watched, before it was restarted).
    List<ExecId> cancelled(UUID gateway);

    Optional<ExecRecord> find(SandboxId sandbox, ExecId id);

    /// Nothing if it printed nothing, still runs, or its output was dropped; the row tells which.
    StoredOutput output(ExecId id);

    /// Of the output of all commands together.
    long outputBytes();

    /// Removes output of the commands that ended first, at least so many bytes unless there is less or that takes more
    /// than `limit` commands. Adds the note to their rows. How many bytes went.
    long dropOutput(long bytes, int limit, String note);

    /// Newest first; the page's key is the id.
    Page<ExecRecord> list(SandboxId sandbox, ExecFilter filter, PageRequest page);

    /// Rows without an outcome that this gateway watches (or watched, before it was restarted).
    List<ExecRecord> open(UUID gateway);

    /// Commands of this generation of a machine of which nobody knows how they ended, and whose rows ended then or
    /// later: the newest first, at most `limit`.
    List<ExecId> lost(SandboxId sandbox, long generation, Instant endedSince, int limit);

    /// Removes ended rows (and their output) that ended before then; at most `limit` at once. How many went.
    int prune(Instant endedBefore, int limit);
}
