package hermit.turn;

/// Tokens, as the provider counts them; 0 where it does not say.
///
/// - `input`: of all prompts together; what is repeated from step to step counts each time.
public record Usage(long input, long output) {
    public static final Usage NONE = new Usage(0, 0);

    public Usage plus(Usage other) {
        return new Usage(input + other.input, output + other.output);
    }
}
