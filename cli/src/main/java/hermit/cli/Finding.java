package hermit.cli;

import java.util.Locale;

/// What `doctor` found about one thing.
record Finding(String name, State state, String detail) {
    enum State {
        OK,
        /// Works now, and may not for long.
        WARNING,
        FAILED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String name, String detail) {
        return new Finding(name, State.OK, detail);
    }

    static Finding warning(String name, String detail) {
        return new Finding(name, State.WARNING, detail);
    }

    static Finding failed(String name, String detail) {
        return new Finding(name, State.FAILED, detail);
    }
}
