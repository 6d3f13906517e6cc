package hermit.api;

/// A request for a ticket for one socket or event stream, by its path.
public record IssueTicket(String path) {}
