package hermit.session;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.access.Members;
import hermit.access.Role;
import hermit.access.SecurityPolicy.Access;
import hermit.access.Standing;
import hermit.agent.AgentId;
import hermit.identity.Identity;
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
    private final Authors authors;

    SessionOpening(Gate gate, Members members, Users users, Authors authors) {
        this.gate = gate;
        this.members = members;
        this.users = users;
        this.authors = authors;
    }

    /// Somebody who may open a session, before anything of them is stored.
    sealed interface Opener {
        /// How they stand to the agent: perhaps as a stranger to a public one.
        Standing agent();

        /// By which channel they come, if by one.
        Optional<Session.Via> via();

        record Known(Author author, Standing agent, Optional<Session.Via> via) implements Opener {}

        /// Whom a channel vouches for and nobody has seen yet; only at a public agent.
        record Newcomer(Identity identity, Standing agent) implements Opener {
            @Override
            public Optional<Session.Via> via() {
                return Optional.of(viaOf(identity));
            }
        }

        /// The body does not say whom a channel speaks for, which is a mistake in it.
        record Unreadable(Standing agent) implements Opener {
            @Override
            public Optional<Session.Via> via() {
                return Optional.empty();
            }
        }

        static Session.Via viaOf(Identity identity) {
            return new Session.Via(identity.channel(), identity.channelUserId());
        }
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

    /// An author as they stand now, whoever speaks for them.
    Actor actor(Author author, AgentId agent) {
        Standing standing = authors.standing(author, agent);
        return new Actor(author, standing.role().orElseThrow(() -> Gate.stranger(standing)), standing);
    }

    /// Who acts when a channel calls in a session that it has opened: whom it speaks for now or, where it does not say,
    /// whom it has opened the session for, if that is still who is known so.
    Actor actor(Caller.Channel channel, Standing agent, Session session, Optional<Identity> sender) {
        Session.Via via = session.via()
                .filter(each -> each.channel().equals(channel.name()))
                .orElseThrow(SessionOpening::noSuchSession);
        sender.ifPresent(each -> requireOwn(each, channel, agent));
        Author author = person(channel, sender.map(Identity::channelUserId).orElse(via.channelUserId()))
                .orElseThrow(SessionOpening::noSuchSession);
        if (sender.isEmpty() && !author.equals(session.owner())) throw noSuchSession();
        Standing theirs = gate.standingOf(author.person(), agent.agentId());
        return new Actor(author, theirs.role().orElseThrow(() -> Gate.stranger(theirs)), theirs);
    }

    /// Whom a channel speaks for, where it is no session that it asks about. A stranger is refused as they would be.
    Author author(Caller.Channel channel, Standing agent, Identity sender) {
        requireOwn(sender, channel, agent);
        Author author = person(channel, sender.channelUserId()).orElseThrow(() -> Gate.stranger(agent));
        Standing theirs = gate.standingOf(author.person(), agent.agentId());
        if (theirs.role().isEmpty()) throw Gate.stranger(theirs);
        return author;
    }

    private Optional<Author> person(Caller.Channel channel, String channelUserId) {
        return users.find(channel.name(), channelUserId).map(user -> new Author.Person(user.id()));
    }

    static Forbidden onlyChannels() {
        return new Forbidden("Only a channel's token may vouch for a sender");
    }

    private static NotFound noSuchSession() {
        return new NotFound("No such session");
    }

    private static Opener forThemselves(Caller caller, Standing agent, Fields fields) {
        boolean stranger = agent.role().isEmpty() && agent.policy().access() != Access.PUBLIC;
        if (fields.has("sender") && !stranger) throw onlyChannels();
        return new Opener.Known(Author.of(caller).orElseThrow(() -> Gate.stranger(agent)), agent, Optional.empty());
    }

    private Opener vouchedFor(Caller.Channel channel, Standing agent, Fields fields) {
        Optional<Identity> identity = sender(channel, agent, fields);
        if (identity.isEmpty()) return new Opener.Unreadable(agent);
        return users.find(identity.get().channel(), identity.get().channelUserId())
                .<Opener>map(user -> new Opener.Known(
                        new Author.Person(user.id()),
                        gate.standingOf(Optional.of(user.id()), agent.agentId()),
                        Optional.of(Opener.viaOf(identity.get()))))
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
        if (!identity.channel().isEmpty()) requireOwn(identity, channel, agent);
        boolean whole =
                !identity.channel().isEmpty() && !identity.channelUserId().isEmpty();
        return whole ? Optional.of(identity) : Optional.empty();
    }

    private static void requireOwn(Identity identity, Caller.Channel channel, Standing agent) {
        if (identity.channel().equals(channel.name())) return;
        // Who speaks for nobody is told no more than a stranger is.
        if (agent.policy().access() == Access.PRIVATE) throw Gate.stranger(agent);
        throw new Forbidden("This token speaks for the channel '%s' only".formatted(channel.name()));
    }
}
