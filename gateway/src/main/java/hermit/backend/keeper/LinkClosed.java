package hermit.backend.keeper;

/// The gateway has closed the link: nothing more can be done with it.
final class LinkClosed extends IllegalStateException {
    LinkClosed() {
        super("the link to the sandbox was closed");
    }
}
