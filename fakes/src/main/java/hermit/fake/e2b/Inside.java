package hermit.fake.e2b;

import hermit.fake.Box;
import hermit.fake.FakeFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the daemon does in its machine by itself: small shell scripts as root.
final class Inside {
    private final Box box;

    Inside(Box box) {
        this.box = box;
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    record Result(int code, byte[] out, String err) {
        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }
    }

    /// `$1` and so on are the arguments.
    Result run(String script, byte[] stdin, String... arguments) throws InterruptedException {
        var argv = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        argv.addAll(List.of(arguments));
        var process = box.run(new Box.Run("root", Optional.of("/"), Map.of(), argv));
        try {
            var errors = new ErrorText(process.stderr());
            var listener = Thread.ofVirtual().start(errors);
            var writer = Thread.ofVirtual().start(() -> {
                try (var in = process.stdin()) {
                    in.write(stdin);
                } catch (IOException _) {
                    // A script that does not read it to its end says why by its code.
                }
            });
            byte[] out = process.stdout().readAllBytes();
            writer.join();
            listener.join();
            return new Result(process.onExit().join(), out, errors.text);
        } catch (IOException e) {
            throw new FakeFailure("run a script in a machine: " + e.getMessage(), e);
        }
    }

    Result run(String script, String... arguments) throws InterruptedException {
        return run(script, new byte[0], arguments);
    }

    private static final class ErrorText implements Runnable {
        private final InputStream stream;
        private volatile String text = "";

        ErrorText(InputStream stream) {
            this.stream = stream;
        }

        @Override
        public void run() {
            try (stream) {
                text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                text = "(unreadable: %s)".formatted(e.getMessage());
            }
        }
    }
}
