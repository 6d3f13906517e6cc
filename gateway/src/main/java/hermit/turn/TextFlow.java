package hermit.turn;

import hermit.session.Redaction;
import java.time.Duration;
import java.time.Instant;

/// The text of one answer on its way from the model to the session's log, in pieces that are worth an event
/// each: as it comes it is added, token by token, and now and then what has gathered is taken. Safe to use
/// from two threads.
final class TextFlow {
    /// Four events a second are as smooth as people can tell from more.
    static final Duration GATHER = Duration.ofMillis(250);
    /// A fast model fills that sooner.
    private static final int FULL = 2_000;

    private final Redaction redaction;
    private final StringBuilder pending = new StringBuilder();
    private final StringBuilder taken = new StringBuilder();
    private Instant lastTaken;
    private Instant lastHeard;

    TextFlow(Redaction redaction, Instant now) {
        this.redaction = redaction;
        this.lastTaken = now.minus(GATHER);
        this.lastHeard = now;
    }

    synchronized void add(String text) {
        pending.append(text);
    }

    /// The model has been heard: also while it writes what is no text.
    synchronized void heard(Instant now) {
        lastHeard = now;
    }

    /// When that was the last time.
    synchronized Instant lastHeard() {
        return lastHeard;
    }

    /// What has gathered, if it is time; `all`: whatever there is. Never half of a character, and nothing
    /// that may turn out to be the beginning of a secret, unless it is all.
    synchronized String take(Instant now, boolean all) {
        if (pending.isEmpty()) return "";
        if (!all && pending.length() < FULL && now.isBefore(lastTaken.plus(GATHER))) return "";
        String clean = redaction.text(pending.toString());
        int end = all ? clean.length() : clean.length() - redaction.open(clean);
        if (!all && end > 0 && Character.isHighSurrogate(clean.charAt(end - 1))) end--;
        String piece = clean.substring(0, end);
        pending.setLength(0);
        pending.append(clean, end, clean.length());
        taken.append(piece);
        if (!piece.isEmpty()) lastTaken = now;
        return piece;
    }

    /// All that has been taken.
    synchronized String taken() {
        return taken.toString();
    }
}
