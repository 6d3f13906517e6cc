package hermit.turn;

/// A turn that runs has been told to stop, and has stopped what it was about.
final class Stopped extends Exception {
    private final RunningTurn.Stop why;

    Stopped(RunningTurn.Stop why) {
        super(why.toString(), null, false, false);
        this.why = why;
    }

    RunningTurn.Stop why() {
        return why;
    }
}
