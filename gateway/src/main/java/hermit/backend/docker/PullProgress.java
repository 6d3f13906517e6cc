package hermit.backend.docker;

import hermit.exec.Progress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/// Adds up the layers of a pull and reports it as one percentage, at most a few times a second.
///
/// Layers become known one by one, so that the whole grows: the percentage never goes back for that.
final class PullProgress {
    private static final Duration BETWEEN_LINES = Duration.ofMillis(300);

    private final String image;
    private final Progress progress;
    private final InstantSource clock;
    private final Map<String, Layer> layers = new HashMap<>();
    private Instant lastLine = Instant.MIN;
    private int shown = -1;

    private record Layer(long done, long total) {}

    PullProgress(String image, Progress progress, InstantSource clock) {
        this.image = image;
        this.progress = progress;
        this.clock = clock;
    }

    /// A layer has been downloaded this far.
    void layer(String id, long done, long total) {
        if (total <= 0) return;
        layers.put(id, new Layer(Math.clamp(done, 0, total), total));
        report();
    }

    /// A layer is complete.
    void complete(String id) {
        var layer = layers.get(id);
        if (layer == null) return;
        layers.put(id, new Layer(layer.total, layer.total));
        report();
    }

    private void report() {
        long done = 0;
        long total = 0;
        for (var layer : layers.values()) {
            done += layer.done;
            total += layer.total;
        }
        int percent = (int) (done * 100.0 / total);
        var now = clock.instant();
        boolean due = lastLine.equals(Instant.MIN) || !now.isBefore(lastLine.plus(BETWEEN_LINES));
        if (percent <= shown || (!due && percent < 100)) return;
        shown = percent;
        lastLine = now;
        progress.report("pulling %s: %d %%".formatted(image, percent));
    }
}
