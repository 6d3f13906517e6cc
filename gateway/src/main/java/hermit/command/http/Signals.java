package hermit.command.http;

import java.util.Map;

/// Names of signals, as numbered on Linux.
final class Signals {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "SIGHUP"),
            Map.entry(2, "SIGINT"),
            Map.entry(3, "SIGQUIT"),
            Map.entry(4, "SIGILL"),
            Map.entry(5, "SIGTRAP"),
            Map.entry(6, "SIGABRT"),
            Map.entry(7, "SIGBUS"),
            Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"),
            Map.entry(10, "SIGUSR1"),
            Map.entry(11, "SIGSEGV"),
            Map.entry(12, "SIGUSR2"),
            Map.entry(13, "SIGPIPE"),
            Map.entry(14, "SIGALRM"),
            Map.entry(15, "SIGTERM"),
            Map.entry(24, "SIGXCPU"),
            Map.entry(25, "SIGXFSZ"),
            Map.entry(31, "SIGSYS"));

    private Signals() {}

    /// `SIGTERM` for 15; the bare number for one that rarely ends a command.
    static String name(int number) {
        return NAMES.getOrDefault(number, Integer.toString(number));
    }
}
