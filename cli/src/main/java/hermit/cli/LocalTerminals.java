package hermit.cli;

/// The terminal that this process was started in, where there is one.
@FunctionalInterface
interface LocalTerminals {
    LocalTerminals NONE = () -> {
        throw new CliFailure(
                ExitCode.USAGE,
                "no_terminal",
                "A shell needs a terminal on stdin and stdout. To run a command without one: hermit sandbox exec -- COMMAND");
    };

    /// As it is: nothing has been changed about it yet.
    ///
    /// @throws CliFailure if there is none
    LocalTerminal open() throws CliFailure;
}
