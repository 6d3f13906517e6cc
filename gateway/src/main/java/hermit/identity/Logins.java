package hermit.identity;

import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Browsers that have logged in, and the tickets that their pages open sockets and streams with.
public final class Logins {
    public static final Duration LASTS = Duration.ofHours(12);
    /// Long enough to open a connection, too short to be found in a log in time.
    public static final Duration TICKET_LASTS = Duration.ofSeconds(30);

    private final LoginStore store;
    private final World world;

    public Logins(LoginStore store, World world) {
        this.store = store;
        this.world = world;
    }

    /// A ticket and when it ends.
    public record Ticket(String secret, Instant expiresAt) {
        @Override
        public String toString() {
            return "Ticket[until " + expiresAt + "]";
        }
    }

    /// Begins a login; the secret is for a cookie.
    public String begin(Login.Holder holder) {
        String secret = Secrets.fresh("hlt_", world.random());
        Instant now = world.now();
        store.add(Secrets.digest(secret), holder, now, now.plus(LASTS));
        return secret;
    }

    /// The login with this secret, whether or not it lasts still.
    public Login.OfBrowser known(String secret) {
        return new Login.OfBrowser(Secrets.digest(secret));
    }

    /// Whom a login stands for; empty once it has been logged out or has expired.
    public Optional<Login.Holder> holder(Login.OfBrowser login) {
        return store.find(login.sha256(), world.now());
    }

    public void end(String secret) {
        store.remove(Secrets.digest(secret));
    }

    /// A ticket for one request of this path.
    public Ticket ticket(Login login, String path) {
        String secret = Secrets.fresh("htt_", world.random());
        Instant until = world.now().plus(TICKET_LASTS);
        store.addTicket(Secrets.digest(secret), login, path, until);
        return new Ticket(secret, until);
    }

    /// Whom a ticket stands for; it is used up by asking.
    public Optional<Login> take(String ticket, String path) {
        return store.takeTicket(Secrets.digest(ticket), path, world.now());
    }

    /// Called now and then.
    public void prune() {
        store.prune(world.now());
    }
}
