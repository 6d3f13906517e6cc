package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import hermit.exec.Exit;
import hermit.exec.RunningCommand;
import java.io.IOException;
import java.io.OutputStream;

/// A command that had ended before it could be followed.
record EndedCommand(Exit.End end) implements RunningCommand {
    @Override
    public Exit.End await() {
        return end;
    }

    @Override
    public void cancel() {}

    @Override
    public void signal(int signal) {}

    @Override
    public OutputStream stdin() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("the command has ended");
            }
        };
    }

    @Override
    public void resize(Terminal size) {}

    @Override
    public void detach() {}
}
