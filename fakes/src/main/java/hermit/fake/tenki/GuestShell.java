package hermit.fake.tenki;

import com.google.protobuf.ByteString;
import hermit.fake.Box;
import hermit.fake.FakeFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Short scripts in a machine, as its ordinary user.
record GuestShell(Box box) {
    /// How a script ended, and what it printed.
    record Done(int code, ByteString out, String err) {
        String text() {
            return out.toStringUtf8();
        }
    }

    Done run(byte[] input, String script, String... arguments) throws InterruptedException {
        var argv = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        argv.addAll(List.of(arguments));
        var process = box.run(new Box.Run(Machines.USER, Optional.of(Machines.HOME), Map.of(), argv));
        var err = new ByteArrayOutputStream();
        var listener = Thread.ofVirtual().start(() -> {
            try {
                process.stderr().transferTo(err);
            } catch (IOException e) {
                err.writeBytes(e.toString().getBytes(StandardCharsets.UTF_8));
            }
        });
        Thread.ofVirtual().start(() -> {
            try (var stdin = process.stdin()) {
                stdin.write(input);
            } catch (IOException e) {
                // It ended without reading all; why, its stderr says.
                err.writeBytes("(not all of its input was read)".getBytes(StandardCharsets.UTF_8));
            }
        });
        try {
            var out = ByteString.readFrom(process.stdout());
            int code = process.onExit().join();
            listener.join();
            return new Done(code, out, err.toString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new FakeFailure("read what a script in a machine printed: " + e.getMessage(), e);
        }
    }
}
