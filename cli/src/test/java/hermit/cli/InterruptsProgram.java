package hermit.cli;

/// A process whose work never ends, not even when it is asked to. It interrupts itself, and again once it has
/// heard.
final class InterruptsProgram {
    private InterruptsProgram() {}

    public static void main(String[] args) throws Exception {
        try (var _ = Interrupts.ofThisProcess().guard(() -> {
            System.out.println("asked");
            interrupt();
        })) {
            interrupt();
            Thread.currentThread().join();
        }
    }

    private static void interrupt() {
        try {
            var pid = Long.toString(ProcessHandle.current().pid());
            new ProcessBuilder("kill", "-INT", pid).start().waitFor();
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
