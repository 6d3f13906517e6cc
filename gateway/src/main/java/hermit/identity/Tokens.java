package hermit.identity;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Gives out tokens, knows them again, and takes them back.
public final class Tokens {
    private static final int MAX_NAME = 200;
    private static final long LONGEST_DAYS = 3_650;
    /// How exact "last used" is: a write for each request would cost more than the request.
    private static final Duration USED_EVERY = Duration.ofMinutes(1);

    private final TokenStore store;
    private final Agents agents;
    private final World world;

    public Tokens(TokenStore store, Agents agents, World world) {
        this.store = store;
        this.agents = agents;
        this.world = world;
    }

    /// A token that was just made. The secret is shown this once.
    public record Issued(Token token, String secret) {
        @Override
        public String toString() {
            return "Issued[" + token.id() + "]";
        }
    }

    /// From the document `{name, user_id | channel | agent_id, scope?, expires_in_days?}`. Without a holder it is one
    /// for `self`. Throws [hermit.problem.GatewayException.Invalid] with all mistakes.
    ///
    /// `by`: the token of the person who asks; the new one does not outlive it.
    public Issued issue(Map<String, Object> document, Optional<UserId> self, Optional<TokenId> by) {
        var fields = Fields.of(document);
        String name = fields.required("name", fields.text("name"), "");
        if (fields.has("name") && (name.isBlank() || name.length() > MAX_NAME))
            fields.mistake("name", "must have 1 to %d characters".formatted(MAX_NAME));
        var holder = holder(fields, self);
        var scope = fields.word("scope", Token.Scope.class).orElse(Token.Scope.FULL);
        if (scope == Token.Scope.READ && (fields.has("channel") || fields.has("agent_id")))
            fields.mistake("scope", "only a person's token can be one that reads");
        var days = fields.integer("expires_in_days", 1, LONGEST_DAYS);
        fields.finish();

        Instant now = world.now();
        String secret = Secrets.fresh(holder.orElseThrow().prefix(), world.random());
        var token = new Token(
                new TokenId(world.newId()),
                holder.get(),
                name,
                secret.substring(secret.length() - 4),
                scope,
                now,
                earlier(
                        days.map(count -> now.plus(Duration.ofDays(count))),
                        by.flatMap(this::find).flatMap(Token::expiresAt)),
                Optional.empty());
        store.add(token, Secrets.digest(secret));
        return new Issued(token, secret);
    }

    private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
        return Stream.concat(one.stream(), other.stream()).min(Comparator.naturalOrder());
    }

    /// The valid token with this secret, if there is one whose holder is there.
    public Optional<Token> find(String secret) {
        Instant now = world.now();
        var token = store.find(Secrets.digest(secret)).filter(each -> each.isValid(now));
        token.filter(each -> each.lastUsedAt()
                        .filter(last -> last.plus(USED_EVERY).isAfter(now))
                        .isEmpty())
                .ifPresent(each -> store.used(each.id(), now));
        return token;
    }

    /// A token that is valid now.
    public Optional<Token> find(TokenId id) {
        return store.find(id).filter(each -> each.isValid(world.now()));
    }

    /// Whether a program of that agent has a token that is valid now.
    public boolean hasProgram(UUID agentUid) {
        return store.hasProgram(agentUid, world.now());
    }

    public Page<Token> list(Optional<UserId> of, PageRequest page) {
        return store.list(of, page);
    }

    /// Takes it back. Throws [NotFound], also for one of somebody else where it must be `of` a person.
    public void revoke(TokenId id, Optional<UserId> of) {
        var token =
                store.find(id).filter(each -> of.isEmpty() || each.holder().equals(new TokenHolder.Person(of.get())));
        if (token.isEmpty() || !store.revoke(id, world.now())) throw new NotFound("No such token");
    }

    private Optional<TokenHolder> holder(Fields fields, Optional<UserId> self) {
        var user = fields.text("user_id");
        var channel = fields.text("channel", Identity.CHANNEL, Identity.CHANNEL_SHAPE);
        var agent = fields.text("agent_id", AgentId.PATTERN, AgentId.SHAPE);
        int given =
                (fields.has("user_id") ? 1 : 0) + (fields.has("channel") ? 1 : 0) + (fields.has("agent_id") ? 1 : 0);
        if (given > 1) fields.mistake("user_id", "give one of user_id, channel and agent_id");
        if (given == 0 && self.isEmpty()) fields.mistake("user_id", "is required (or channel, or agent_id)");
        if (given == 0) return self.map(TokenHolder.Person::new);
        if (user.isPresent()) {
            var id = UserId.parse(user.get());
            if (id.isEmpty()) fields.mistake("user_id", "must be the id of a user");
            return id.map(TokenHolder.Person::new);
        }
        if (channel.isPresent()) return channel.map(TokenHolder.Channel::new);
        return agent.map(AgentId::new).flatMap(id -> {
            try {
                return Optional.<TokenHolder>of(
                        new TokenHolder.Program(agents.get(id).uid()));
            } catch (NotFound e) {
                fields.mistake("agent_id", "there is no such agent");
                return Optional.empty();
            }
        });
    }
}
