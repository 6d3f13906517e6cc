package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.BoxProcess;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A process that the daemon started. Its output goes to those who are attached, at the pace of the slowest, and
/// nowhere if there is none.
///
/// The engine does not tell an exit with 128+n from a death by signal n: both are taken for the latter.
final class DaemonProcess {
    /// As the daemon's own reads.
    private static final int PIECE = 32_768;

    private final JsonNode request;
    private final BoxProcess process;
    private final List<Attachment> attachments = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private boolean stdinOpen;
    private volatile Map<String, Object> end = Map.of();

    DaemonProcess(JsonNode request, BoxProcess process, boolean stdin) {
        this.request = request;
        this.process = process;
        this.stdinOpen = stdin;
        if (!stdin) closePipe();
    }

    int pid() {
        return process.pid();
    }

    JsonNode config() {
        return request.path("process");
    }

    Optional<String> tag() {
        return request.has("tag") ? Optional.of(request.path("tag").asText()) : Optional.empty();
    }

    boolean hasEnded() {
        return over.getCount() == 0;
    }

    /// The first stream, attached before anything is read. The limit is the process's own, whoever listens.
    Answer.Body begin(Processes.Timing timing) {
        var first = new Attachment(this, Optional.empty(), timing.betweenSigns());
        attachments.add(first);
        var out = Thread.ofVirtual().start(() -> pump(process.stdout(), "stdout"));
        var err = Thread.ofVirtual().start(() -> pump(process.stderr(), "stderr"));
        Thread.ofVirtual().start(() -> finish(out, err));
        timing.limit().ifPresent(limit -> Thread.ofVirtual().start(() -> expire(limit, first)));
        return first;
    }

    /// Another stream, whose limit ends the stream only.
    Answer.Body attach(Processes.Timing timing) {
        var attachment = new Attachment(this, timing.limit(), timing.betweenSigns());
        attachments.add(attachment);
        if (hasEnded()) attachment.put(new Attachment.End(end));
        return attachment;
    }

    void detach(Attachment attachment) {
        attachments.remove(attachment);
    }

    void cut() {
        for (var each : attachments) each.cut();
    }

    synchronized void write(byte[] bytes) throws IOException {
        if (!stdinOpen) throw new IOException("stdin not enabled or closed");
        process.stdin().write(bytes);
        process.stdin().flush();
    }

    synchronized void closeStdin() {
        if (stdinOpen) closePipe();
        stdinOpen = false;
    }

    void signal(String name) throws InterruptedException {
        process.signal(name);
    }

    private void closePipe() {
        try {
            process.stdin().close();
        } catch (IOException _) {
            // The process is gone, and its end of the pipe with it.
        }
    }

    private void pump(InputStream from, String stream) {
        byte[] piece = new byte[PIECE];
        try (from) {
            for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
                String bytes = Base64.getEncoder().encodeToString(Arrays.copyOf(piece, read));
                var event = new Attachment.Data(Map.of("data", Map.of(stream, bytes)));
                for (var each : attachments) each.put(event);
            }
        } catch (IOException _) {
            // The machine is gone, which the exit code says as well.
        }
    }

    private void finish(Thread out, Thread err) {
        try {
            out.join();
            err.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        end = endOf(process.onExit().join());
        over.countDown();
        for (var each : attachments) each.put(new Attachment.End(end));
    }

    private void expire(long limit, Attachment first) {
        try {
            if (over.await(limit, TimeUnit.MILLISECONDS)) return;
            first.put(new Attachment.Expired());
            process.signal("KILL"); // of the one process; its children live on
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, Object> endOf(int code) {
        var end = new LinkedHashMap<String, Object>();
        if (code > 128) {
            String status = "signal: " + signal(code - 128);
            end.put("exitCode", -1);
            end.put("status", status);
            end.put("error", status);
            return end;
        }
        String status = "exit status " + code;
        if (code != 0) end.put("exitCode", code);
        end.put("exited", true);
        end.put("status", status);
        if (code != 0) end.put("error", status);
        return end;
    }

    private static String signal(int number) {
        return switch (number) {
            case 2 -> "interrupt";
            case 9 -> "killed";
            case 15 -> "terminated";
            default -> "signal " + number;
        };
    }
}
