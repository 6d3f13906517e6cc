package hermit.exec;

/// Told what a long ensure is doing, in one line for people: `pulling ubuntu:24.04: 45 %`.
@FunctionalInterface
public interface Progress {
    Progress NONE = line -> {};

    void report(String line);
}
