package hermit.exec;

/// The machine that was there at the last ensure is not any more; the command has certainly not been started.
public final class MachineGone extends Exception {
    public MachineGone(String message, Throwable cause) {
        super(message, cause);
    }

    public MachineGone(String message) {
        super(message);
    }
}
