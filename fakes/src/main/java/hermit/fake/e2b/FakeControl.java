package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.fake.Journal;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the provider's own people could do, for tests as methods and for others as routes on the same port:
///
/// - `GET /_fake/requests` lists what was asked, `DELETE` forgets it.
/// - `POST /_fake/faults` adds one: `{"operation": "connect", "kind": "answer", "status": 502, "times": 3}`; kinds are
///   `answer` (`status`, `headers`, `body`), `stall`, `lose`, `delay` (`ms`), `cut` (`after`), `special` (`name`).
///   `DELETE` takes back those that have not struck.
/// - `GET /_fake/machines` lists all, and `POST /_fake/machines/ID/ACTION` does what the methods here say. The state
///   `POST .../state` is in the body: `{"state": "error"}`.
public final class FakeControl {
    private static final Pattern ACTION = Pattern.compile("/_fake/machines/([^/]+)/([a-z]+)");

    private final Machines machines;
    private final Faults faults;
    private final Journal journal;

    FakeControl(Machines machines, Faults faults, Journal journal) {
        this.machines = machines;
        this.faults = faults;
        this.journal = journal;
    }

    /// Ids of all sandboxes, the newest first.
    public List<String> ids() throws InterruptedException {
        return machines.list().stream().map(Machine::id).toList();
    }

    /// The provider's word for the state; empty if there is no such sandbox.
    public Optional<String> state(String id) throws InterruptedException {
        return machines.find(id).map(each -> String.valueOf(each.asListed().get("state")));
    }

    public Map<String, String> metadata(String id) throws InterruptedException {
        return machine(id).order().metadata();
    }

    /// Pauses it, with its memory.
    public void pause(String id) throws InterruptedException {
        machine(id).pause(true, machines.now());
    }

    public void delete(String id) throws InterruptedException {
        machines.kill(machine(id));
    }

    /// Its time limit comes: it is paused or killed, as it was made.
    public void expire(String id) throws InterruptedException {
        machines.expire(machine(id));
    }

    /// It seems to run, and nothing in it moves.
    public void freeze(String id) throws InterruptedException {
        machine(id).box().pause();
    }

    public void thaw(String id) throws InterruptedException {
        machine(id).box().unpause();
    }

    /// All streams that are open break; what they belong to runs on.
    public void cut(String id) throws InterruptedException {
        machine(id).processes().cut();
    }

    /// It runs again, with its files and without its processes.
    public void reboot(String id) throws InterruptedException {
        var machine = machine(id);
        machine.pause(false, machines.now());
        machine.resume(true, machines.now().plus(machine.order().timeout()));
    }

    /// From here on the provider has this word for its state.
    public void state(String id, String word) throws InterruptedException {
        machine(id).state(word);
    }

    /// Runs a shell command in it as root, whatever the provider thinks of its state; what it printed.
    public String shell(String id, String command) throws InterruptedException {
        return machine(id).box().shell("root", command);
    }

    Answer answer(Call call) throws InterruptedException {
        try {
            return route(call);
        } catch (Refused e) {
            return e.answer();
        } catch (IllegalArgumentException e) {
            return Answer.refusal(400, String.valueOf(e.getMessage()));
        }
    }

    private Answer route(Call call) throws Refused, InterruptedException {
        Matcher action = ACTION.matcher(call.path());
        if (action.matches() && call.method().equals("POST")) return act(action.group(1), action.group(2), call);
        return switch (call.method() + " " + call.path()) {
            case "GET /_fake/requests" ->
                Answer.json(
                        200, journal.entries().stream().map(FakeControl::shown).toList());
            case "DELETE /_fake/requests" -> {
                journal.clear();
                yield Answer.empty(204);
            }
            case "POST /_fake/faults" -> {
                faults.add(fault(call.json()));
                yield Answer.empty(204);
            }
            case "DELETE /_fake/faults" -> {
                faults.clear();
                yield Answer.empty(204);
            }
            case "GET /_fake/machines" ->
                Answer.json(200, machines.list().stream().map(Machine::asDetail).toList());
            default -> Answer.refusal(404, "no such control");
        };
    }

    private Answer act(String id, String action, Call call) throws Refused, InterruptedException {
        switch (action) {
            case "pause" -> pause(id);
            case "delete" -> delete(id);
            case "expire" -> expire(id);
            case "freeze" -> freeze(id);
            case "thaw" -> thaw(id);
            case "cut" -> cut(id);
            case "reboot" -> reboot(id);
            case "state" -> state(id, call.json().path("state").asText());
            default -> throw new IllegalArgumentException("no such action: " + action);
        }
        return Answer.empty(204);
    }

    private Machine machine(String id) throws InterruptedException {
        return machines.find(id).orElseThrow(() -> new IllegalArgumentException("no such sandbox: " + id));
    }

    private static Map<String, Object> shown(Journal.Entry entry) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("at", entry.at().toString());
        shown.put("method", entry.method());
        shown.put("path", entry.path());
        shown.put("headers", entry.headers());
        shown.put("body", entry.body());
        return shown;
    }

    private static Fault fault(JsonNode body) {
        var headers = new HashMap<String, String>();
        body.path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        Fault.Kind kind = switch (body.path("kind").asText()) {
            case "answer" ->
                new Fault.Kind.Answer(
                        body.path("status").asInt(500),
                        headers,
                        body.path("body").asText());
            case "stall" -> new Fault.Kind.Stall();
            case "lose" -> new Fault.Kind.Lose();
            case "delay" ->
                new Fault.Kind.Delay(Duration.ofMillis(body.path("ms").asLong()));
            case "cut" -> new Fault.Kind.Cut(body.path("after").asInt());
            case "special" -> new Fault.Kind.Special(body.path("name").asText());
            default -> throw new IllegalArgumentException("no such kind of fault");
        };
        return new Fault(
                body.path("operation").asText(), kind, body.path("times").asInt(1));
    }
}
