package hermit.session;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.access.Members;
import hermit.access.Role;
import hermit.access.SecurityPolicy.Access;
import hermit.access.Standing;
import hermit.agent.AgentId;
import hermit.identity.Identity;
import hermit.identity.UserId;
import hermit.identity.Users;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import java.util.Map;
import java.util.Optional;

/// Finds out who acts when a session is opened, and at every later call. That a stranger may not is
/// decided before anything is stored: a refusal leaves no person and no membership behind.
final class SessionOpening {
    private final Gate gate;
    private final Members members;
    private final Users users;

    SessionOpening(Gate gate, Members members, Users users) {
        this.gate = gate;
        this.members = members;
        this.users = users;
    }

    /// Somebody who may open a session, before anything of them is stored.
    sealed interface Opener {
        /// How they stand to the agent: perhaps as a stranger to a public one.
        Standing agent();

        record Known(Author author, Standing agent) implements Opener {}

        /// Whom a channel vouches for and nobody has seen yet; only at a public agent.
        record Newcomer(Identity identity, Standing agent) implements Opener {}

        /// The body does not say whom a channel speaks for, which is a mistake in it.
        record Unreadable(Standing agent) implements Opener {}
    }

    /// Who opens. Of the body `sender` is read here: only a channel may give one, for people of its own
    /// namespace. Mistakes are left in `fields`.
    Opener opener(Caller caller, Standing agent, Fields fields) {
        Opener opener = caller instanceof Caller.Channel channel
                ? vouchedFor(channel, agent, fields)
                : forThemselves(caller, agent, fields);
        Standing theirs = opener.agent();
        if (theirs.role().isEmpty() && theirs.policy().access() != Access.PUBLIC) throw Gate.stranger(theirs);
        return opener;
    }

    /// Stores what comes with opening: the person whom nobody knew, and the membership of a guest.
    Actor settle(Opener opener) {
        Author author = switch (opener) {
            case Opener.Known known -> known.author();
            case Opener.Newcomer newcomer ->
                new Author.Person(users.byIdentity(newcomer.identity()).id());
            case Opener.Unreadable _ -> throw new IllegalStateException("nobody opens this session");
        };
        Standing agent = opener.agent();
        Role role = author.person()
                .map(person -> members.claimGuest(agent, person))
                .or(agent::role)
                .orElseThrow(() -> Gate.stranger(agent));
        return new Actor(author, role, agent);
    }

    /// How a caller stands to the agent now.
    Standing standing(Caller caller, AgentId agent) {
        return gate.standing(caller, agent.value());
    }

    /// Who acts by their own right in whatever session it is. Empty for a channel.
    Optional<Actor> actor(Caller caller, Standing agent) {
        return Author.of(caller)
                .map(author -> new Actor(author, agent.role().orElseThrow(() -> Gate.stranger(agent)), agent));
    }

    /// Who acts when a channel calls: the person for whom it opened the session.
    Actor actor(Caller.Channel channel, Standing agent, Session session) {
        UserId person = session.channel()
                .filter(channel.name()::equals)
                .flatMap(_ -> session.owner().person())
                .orElseThrow(() -> new NotFound("No such session"));
        Standing theirs = gate.standingOf(Optional.of(person), agent.agentId());
        return new Actor(session.owner(), theirs.role().orElseThrow(() -> Gate.stranger(theirs)), theirs);
    }

    private static Opener forThemselves(Caller caller, Standing agent, Fields fields) {
        boolean stranger = agent.role().isEmpty() && agent.policy().access() != Access.PUBLIC;
        if (fields.has("sender") && !stranger) throw new Forbidden("Only a channel's token may vouch for a sender");
        return new Opener.Known(Author.of(caller).orElseThrow(() -> Gate.stranger(agent)), agent);
    }

    private Opener vouchedFor(Caller.Channel channel, Standing agent, Fields fields) {
        Optional<Identity> identity = sender(channel, agent, fields);
        if (identity.isEmpty()) return new Opener.Unreadable(agent);
        return users.find(identity.get().channel(), identity.get().channelUserId())
                .<Opener>map(user -> new Opener.Known(
                        new Author.Person(user.id()), gate.standingOf(Optional.of(user.id()), agent.agentId())))
                .orElseGet(() -> new Opener.Newcomer(identity.get(), agent));
    }

    /// The identity in the body, if it is whole.
    private static Optional<Identity> sender(Caller.Channel channel, Standing agent, Fields fields) {
        Optional<Fields> given = fields.nested("sender");
        if (given.isEmpty()) {
            fields.required("sender", Optional.<Map<String, Object>>empty(), Map.of());
            return Optional.empty();
        }
        Identity identity = Identity.read(given.get());
        given.get().close();
        if (!identity.channel().isEmpty() && !identity.channel().equals(channel.name())) {
            // Who speaks for nobody is told no more than a stranger is.
            if (agent.policy().access() == Access.PRIVATE) throw Gate.stranger(agent);
            throw new Forbidden("This token speaks for the channel '%s' only".formatted(channel.name()));
        }
        boolean whole =
                !identity.channel().isEmpty() && !identity.channelUserId().isEmpty();
        return whole ? Optional.of(identity) : Optional.empty();
    }
}
