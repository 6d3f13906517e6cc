package hermit.cli;

/// The program that the `hermit` launcher starts.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Cli(Surroundings.ofThisProcess()).run(args));
    }
}
