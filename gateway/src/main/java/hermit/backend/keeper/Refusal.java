package hermit.backend.keeper;

import java.nio.ByteBuffer;

/// Why the keeper did not do something. The message is for people and comes from the guest.
record Refusal(Code code, String message) {
    private static final int LONGEST_MESSAGE = 512;

    /// In the order of their numbers on the wire, from 1.
    enum Code {
        BAD_REQUEST,
        BAD_VERSION,
        ALREADY_STARTED,
        TOO_OLD,
        UNKNOWN_EXEC,
        CWD_NOT_FOUND,
        USER_NOT_FOUND,
        PROGRAM_NOT_FOUND,
        NOT_EXECUTABLE,
        NO_RESOURCES,
        TOO_MANY,
        TOO_LARGE,
        INTERNAL;

        private static final Code[] ALL = values();
    }

    static Refusal read(ByteBuffer payload) throws BadFrame {
        var fields = FieldsReader.of(payload);
        long code = fields.number(1, Code.ALL.length);
        if (code == 0) throw new BadFrame("code 0 means nothing");
        var refusal = new Refusal(Code.ALL[(int) code - 1], fields.prose(2, LONGEST_MESSAGE));
        fields.finish();
        return refusal;
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(message, code);
    }
}
