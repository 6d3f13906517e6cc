package hermit.fake.e2b;

/// Ends the work on a request with this answer.
final class Refused extends Exception {
    private final transient Answer answer;

    Refused(Answer answer) {
        super("refused", null, false, false);
        this.answer = answer;
    }

    Answer answer() {
        return answer;
    }
}
