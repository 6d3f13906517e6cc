package hermit.approval;

import hermit.access.Caller;
import hermit.approval.Approval.State;
import hermit.paging.PageRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// One reader's place among all the approvals that they may decide, each as it stands at the moment when it is read.
/// Used by one thread.
public final class ApprovalFollower {
    private static final int BATCH = 100;
    /// How often it is looked again, should nothing wake it.
    private static final Duration AT_LEAST_EVERY = Duration.ofMinutes(1);

    private final ApprovalStore store;
    private final ApprovalFeed feed;
    private final Deciders deciders;
    private final Caller caller;
    private boolean began;
    private long after;

    /// `after`: behind which revision to go on; without one, what is pending now comes first.
    ApprovalFollower(ApprovalStore store, ApprovalFeed feed, Deciders deciders, Caller caller, Optional<Long> after) {
        this.store = store;
        this.feed = feed;
        this.deciders = deciders;
        this.caller = caller;
        this.began = after.isPresent();
        this.after = after.orElse(0L);
    }

    /// From where a reader goes on who has all that [#next] has given.
    public long after() {
        return after;
    }

    /// What is new, in order of revision; waited for.
    public List<Approval> next() throws InterruptedException {
        if (!began) {
            began = true;
            after = store.revision();
            var pending = store.list(
                            deciders.agentsOf(caller),
                            Optional.of(State.PENDING),
                            PageRequest.first(PageRequest.MAX_LIMIT))
                    .items();
            if (!pending.isEmpty()) return pending.reversed();
        }
        while (true) {
            long upTo = store.revision();
            var news = store.changedAfter(after, deciders.agentsOf(caller), BATCH);
            if (!news.isEmpty()) {
                after = news.getLast().revision();
                return news;
            }
            after = Math.max(after, upTo);
            feed.await(after, AT_LEAST_EVERY);
        }
    }
}
