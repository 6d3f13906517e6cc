package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What callers want of a command, kept for the time without a connection. Guarded by the command's lock.
final class Wishes {
    /// Signals that wait for a connection; more than anybody sends on purpose.
    private static final int MOST_SIGNALS = 16;

    private boolean cancelled;
    private final List<Integer> signals = new ArrayList<>();
    private Optional<Terminal> size = Optional.empty();

    void cancel(Optional<Channel> now) {
        cancelled = true;
        now.ifPresent(Channel::cancel);
    }

    void signal(int signal, Optional<Channel> now) {
        if (now.isPresent()) now.get().signal(signal);
        else if (signals.size() < MOST_SIGNALS) signals.add(signal);
    }

    void resize(Terminal size, Optional<Channel> now) {
        this.size = Optional.of(size);
        now.ifPresent(each -> each.resize(size));
    }

    /// Tells them to a new channel. Some may have arrived over the one before: they do no harm twice.
    void tell(Channel channel) {
        if (cancelled) channel.cancel();
        signals.forEach(channel::signal);
        signals.clear();
        size.ifPresent(channel::resize);
    }
}
