package hermit.backend.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Marks;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.LiveState.State;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Uuids;
import hermit.fake.Fault;
import hermit.fake.Journal;
import hermit.fake.daytona.Settings;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Sandboxes are made, found, started, stopped and deleted, also when the provider answers late, wrongly or
/// not at all.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DaytonaClientTest {
    private static final Fault.Kind.Answer BUSY = new Fault.Kind.Answer(
            409, Map.of("Content-Type", "application/json"), "{\"message\":\"Sandbox state change in progress\"}");
    private static final Fault.Kind.Answer BROKEN = answer(500);

    private final DaytonaFixture fixture =
            new DaytonaFixture(Settings.of(DaytonaFixture.IMAGE).withHold(Duration.ZERO));
    private final HastyScheduler time = new HastyScheduler(fixture.scheduler);
    private final DaytonaClient client =
            new DaytonaClient(fixture.settings(), fixture.instance, time, DaytonaFixture.RANDOM);
    private final List<String> said = new ArrayList<>();

    @BeforeEach
    void forget() {
        fixture.fake.journal().clear();
    }

    @AfterEach
    void leave_nothing() throws Exception {
        fixture.fake.faults().clear();
        for (String id : fixture.fake.sandboxes()) client.destroy(id);
        assertThat(fixture.fake.sandboxes()).isEmpty();
    }

    @AfterAll
    void stop() {
        client.close();
        fixture.close();
    }

    // --- create

    @Test
    void a_sandbox_is_made_and_runs() throws Exception {
        var spec = spec(Map.of("snapshot", "small", "env", Map.of("A", "1"), "labels", Map.of("team", "core")));
        var marks = Marks.of(fixture.instance, spec, 1);
        var made = client.create(spec, marks, said::add);

        assertThat(made.state()).isEqualTo(State.RUNNING);
        assertThat(made.marks()).containsAllEntriesOf(marks.toMap()).containsEntry("team", "core");
        assertThat(client.find(made.id()).map(CloudMachine::state)).contains(State.RUNNING);
        assertThat(fixture.fake.sandboxes()).containsExactly(made.id());
        assertThat(asked("POST", "/api/sandbox")).hasSize(1);
    }

    @Test
    void one_whose_answer_was_lost_is_found_by_its_name() throws Exception {
        strike("create", new Fault.Kind.Lose(), 1);
        var made = create(Map.of());
        assertThat(fixture.fake.sandboxes()).containsExactly(made.id());
    }

    @Test
    void one_whose_answer_never_comes_is_found_by_its_name() throws Exception {
        strike("create", new Fault.Kind.Stall(), 1);
        var made = create(Map.of());
        assertThat(fixture.fake.sandboxes()).containsExactly(made.id());
    }

    @Test
    void one_that_an_earlier_gateway_made_is_taken_over() throws Exception {
        var spec = spec(Map.of());
        var marks = Marks.of(fixture.instance, spec, 1);
        var first = client.create(spec, marks, Progress.NONE);
        assertThat(client.create(spec, marks, Progress.NONE).id()).isEqualTo(first.id());
        assertThat(fixture.fake.sandboxes()).containsExactly(first.id());
    }

    @Test
    void one_that_fails_to_start_leaves_nothing() {
        strike("boot", new Fault.Kind.Special("error"), 1);
        assertThatThrownBy(() -> create(Map.of()))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("runner lost the sandbox");
        assertThat(fixture.fake.sandboxes()).isEmpty();
    }

    @Test
    void an_image_that_cannot_be_built_leaves_nothing() {
        assertThatThrownBy(() -> create(Map.of("image", "missing:1")))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("build_failed")
                .hasMessageContaining("pull access denied");
        assertThat(fixture.fake.sandboxes()).isEmpty();
    }

    @Test
    void a_refusal_is_told_in_the_providers_words_and_not_repeated() {
        assertThatThrownBy(() -> create(Map.of("snapshot", "missing-one")))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("Snapshot missing-one not found");
        assertThat(asked("POST", "/api/sandbox")).hasSize(1);
    }

    @Test
    void a_provider_that_was_asked_too_often_is_given_the_time_that_it_wants() throws Exception {
        strike("create", new Fault.Kind.Answer(429, Map.of("Retry-After-sandbox-create", "27"), ""), 1);
        strike("create", new Fault.Kind.Answer(429, Map.of("Retry-After", "31"), ""), 1);
        int before = time.pauses().size();
        create(Map.of());
        assertThat(time.pauses().subList(before, time.pauses().size()))
                .containsExactly(Duration.ofSeconds(27), Duration.ofSeconds(31));
        assertThat(said).contains("Daytona was asked too often; waiting 27 s");
        assertThat(asked("POST", "/api/sandbox")).hasSize(3);
    }

    @Test
    void a_provider_that_is_always_asked_too_often_is_given_up() {
        strike("create", new Fault.Kind.Answer(429, Map.of("Retry-After", "60"), ""), 100);
        assertThatThrownBy(() -> create(Map.of())).isInstanceOf(BackendUnavailable.class);
        assertThat(asked("POST", "/api/sandbox")).hasSize(4);
    }

    // --- resume

    @Test
    void a_stopped_sandbox_is_started() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        assertThat(client.find(made.id()).map(CloudMachine::state)).contains(State.STOPPED);
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
        assertThat(asked("POST", "/start")).hasSize(1);
    }

    @Test
    void an_archived_sandbox_is_started_in_its_own_time() throws Exception {
        var made = create(Map.of());
        fixture.fake.strike(made.id(), "archive");
        assertThat(client.find(made.id()).orElseThrow().detail()).isEqualTo("archived");
        strike("restore", new Fault.Kind.Delay(Duration.ofSeconds(2)), 1);
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
        assertThat(said).contains("the sandbox is restoring");
    }

    @Test
    void one_that_is_just_stopping_is_waited_for() throws Exception {
        var made = create(Map.of());
        strike("shutdown", new Fault.Kind.Delay(Duration.ofSeconds(2)), 1);
        strike("start", BUSY, 2);
        var stopping = Thread.ofVirtual().start(() -> quietly(() -> client.pause(made.id())));
        await(made.id(), "stopping");
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
        stopping.interrupt();
        stopping.join();
    }

    @Test
    void an_error_that_can_be_recovered_is() throws Exception {
        var made = create(Map.of());
        fixture.fake.strike(made.id(), "recoverable-error");
        assertThat(client.find(made.id()).map(CloudMachine::state)).contains(State.ERROR);
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
        assertThat(asked("POST", "/recover")).hasSize(1);
    }

    @Test
    void one_that_is_broken_for_good_is_said_to_be_and_left() throws Exception {
        var made = create(Map.of());
        fixture.fake.strike(made.id(), "error");
        assertThat(resume(made)).isEmpty();
        assertThat(client.list(Optional.empty())).extracting(CloudMachine::id).containsExactly(made.id());
        assertThat(client.find(made.id()).orElseThrow().detail()).isEqualTo("error: runner lost the sandbox");
    }

    @Test
    void one_that_is_gone_is_said_to_be() throws Exception {
        var made = create(Map.of());
        fixture.fake.strike(made.id(), "delete");
        assertThat(resume(made)).isEmpty();
        assertThat(client.find(made.id())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 500, 502})
    void an_answer_that_is_wrong_for_a_while_is_not_the_end(int status) throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        strike("start", answer(status), 2);
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
    }

    @Test
    void an_answer_that_stays_wrong_is() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        strike("start", BROKEN, 100);
        assertThatThrownBy(() -> resume(made))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("start sandbox " + made.id())
                .hasMessageContaining("500");
        assertThat(asked("POST", "/start")).hasSize(5);
    }

    @Test
    void a_start_whose_answer_was_lost_is_not_asked_for_again() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        strike("boot", new Fault.Kind.Delay(Duration.ofSeconds(1)), 1);
        strike("start", new Fault.Kind.Lose(), 1);
        assertThat(resume(made).map(CloudMachine::state)).contains(State.RUNNING);
        assertThat(asked("POST", "/start")).hasSize(1);
    }

    @Test
    void a_change_that_never_ends_is_given_up() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        strike("boot", new Fault.Kind.Delay(Duration.ofSeconds(20)), 1);
        var hurry = Thread.ofVirtual()
                .start(() -> quietly(() -> {
                    await(made.id(), "starting");
                    awaitTwoLooks(made.id());
                    time.pass(Duration.ofMinutes(7));
                }));
        assertThatThrownBy(() -> resume(made))
                .isInstanceOf(BackendUnavailable.class)
                .hasMessageContaining("starting");
        hurry.join();
        fixture.fake.strike(made.id(), "error"); // so that it can be deleted now
    }

    @Test
    void a_changed_interval_is_set() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        var changed = DaytonaFixture.config(Map.of("auto_stop_interval_minutes", 60));
        assertThat(client.resume(made, changed, Progress.NONE)).isPresent();
        assertThat(asked("POST", "/autostop/60")).hasSize(1);
        assertThat(client.resume(made, changed, Progress.NONE)).isPresent();
        assertThat(asked("POST", "/autostop/60")).hasSize(1);
    }

    // --- pause, destroy, prolong

    @Test
    void stopping_twice_is_stopping_once() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        client.pause(made.id());
        assertThat(asked("POST", "/stop?force=false")).hasSize(1);
        client.pause("no-such-sandbox");
    }

    @Test
    void one_that_is_just_starting_is_deleted_as_soon_as_that_can_be() throws Exception {
        var made = create(Map.of());
        client.pause(made.id());
        strike("boot", new Fault.Kind.Delay(Duration.ofSeconds(2)), 1);
        var starting = Thread.ofVirtual().start(() -> quietly(() -> resume(made)));
        await(made.id(), "starting");
        client.destroy(made.id());
        assertThat(fixture.fake.sandboxes()).isEmpty();
        assertThat(asked("DELETE", "/api/sandbox/" + made.id())).hasSizeGreaterThan(1);
        starting.join();
        client.destroy(made.id());
    }

    @Test
    void use_puts_off_the_providers_own_stop() throws Exception {
        var made = create(Map.of());
        client.prolong(made.id(), DaytonaFixture.config(Map.of()));
        assertThat(asked("POST", "/last-activity")).hasSize(1);
        client.prolong(made.id(), DaytonaFixture.config(Map.of("auto_stop_interval_minutes", 0)));
        assertThat(asked("POST", "/last-activity")).hasSize(1);
        client.prolong("no-such-sandbox", DaytonaFixture.config(Map.of()));
        assertThat(client.prolongEvery(DaytonaFixture.config(Map.of()))).isEqualTo(Duration.ofMinutes(1));
        assertThat(client.prolongEvery(DaytonaFixture.config(Map.of("auto_stop_interval_minutes", 1))))
                .isEqualTo(Duration.ofSeconds(20));
    }

    // --- find, list, keys

    @Test
    void only_this_gateways_sandboxes_are_listed() throws Exception {
        var ours = create(Map.of());
        var theirs =
                new DaytonaClient(fixture.settings(), Uuids.random(DaytonaFixture.RANDOM), time, DaytonaFixture.RANDOM);
        assertThat(theirs.list(Optional.empty())).isEmpty();
        assertThat(client.list(Optional.empty())).extracting(CloudMachine::id).containsExactly(ours.id());
        assertThat(client.list(Marks.sandboxOf(ours.marks()))).hasSize(1);
        assertThat(client.list(Optional.of(Uuids.random(DaytonaFixture.RANDOM))))
                .isEmpty();
        theirs.close();
    }

    @Test
    void a_long_list_comes_in_pages() throws Exception {
        String page = "{\"items\":[{\"id\":\"%s\",\"state\":\"a-new-word\"}],\"nextCursor\":%s}";
        strike("list", new Fault.Kind.Answer(200, Map.of(), page.formatted("a", "\"next\"")), 1);
        strike("list", new Fault.Kind.Answer(200, Map.of(), page.formatted("b", "null")), 1);
        assertThat(client.list(Optional.empty()))
                .extracting(CloudMachine::id, CloudMachine::state)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a", State.UNKNOWN),
                        org.assertj.core.groups.Tuple.tuple("b", State.UNKNOWN));
        assertThat(asked("GET", "&cursor=next")).hasSize(1);
    }

    @Test
    void the_key_is_checked_and_never_shown() throws Exception {
        client.check();
        var secret = new Secret("dtn_wrong_key");
        var wrong = new DaytonaClient(
                new CloudSettings.Daytona(Optional.of(secret), Optional.of(fixture.fake.address()), Optional.empty()),
                fixture.instance,
                time,
                DaytonaFixture.RANDOM);
        strike("get", new Fault.Kind.Answer(500, Map.of(), "{\"message\":\"what is dtn_wrong_key\"}"), 1);
        assertThatThrownBy(() -> wrong.find("some"))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("(hidden)")
                .hasMessageNotContaining("dtn_wrong_key");
        assertThatThrownBy(wrong::check)
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("DAYTONA_API_KEY")
                .hasMessageNotContaining("dtn_wrong_key");
        wrong.close();
    }

    @Test
    void without_a_key_every_call_says_what_is_missing() {
        var without = new DaytonaClient(
                new CloudSettings.Daytona(Optional.empty(), Optional.of(fixture.fake.address()), Optional.empty()),
                fixture.instance,
                time,
                DaytonaFixture.RANDOM);
        assertThatThrownBy(without::check)
                .isInstanceOf(MissingCredential.class)
                .hasMessageContaining("DAYTONA_API_KEY");
        assertThatThrownBy(() ->
                        without.create(spec(Map.of()), Marks.of(fixture.instance, spec(Map.of()), 1), Progress.NONE))
                .isInstanceOf(MissingCredential.class);
        assertThat(fixture.fake.journal().entries()).isEmpty();
        without.close();
    }

    @Test
    void a_provider_that_cannot_be_reached_is_said_to_be() {
        var nobody = new DaytonaClient(
                new CloudSettings.Daytona(
                        Optional.of(new Secret("dtn_x")),
                        Optional.of(URI.create("http://127.0.0.1:1/api")),
                        Optional.empty()),
                fixture.instance,
                time,
                DaytonaFixture.RANDOM);
        assertThatThrownBy(nobody::check).isInstanceOf(BackendUnavailable.class).hasMessageContaining("127.0.0.1:1");
        nobody.close();
    }

    @Test
    void the_key_goes_nowhere_in_the_clear_where_the_api_is_reached_in_secret() {
        var api = new Api(
                new CloudSettings.Daytona(Optional.of(new Secret("dtn_x")), Optional.empty(), Optional.empty()), time);
        assertThat(api.toolbox("https://proxy.example.org/toolbox/", "id", "/work-dir"))
                .isEqualTo(URI.create("https://proxy.example.org/toolbox/id/work-dir"));
        for (String address : List.of("http://proxy.example.org/toolbox", "ftp://x/y", "", "no address"))
            assertThatThrownBy(() -> api.toolbox(address, "id", "/work-dir")).isInstanceOf(ProviderError.class);
        api.close();
    }

    private CloudMachine create(Map<String, Object> given) throws InterruptedException {
        var spec = spec(given);
        var made = client.create(spec, Marks.of(fixture.instance, spec, 1), said::add);
        assertThat(made.state()).isEqualTo(State.RUNNING);
        return made;
    }

    private Optional<CloudMachine> resume(CloudMachine machine) throws InterruptedException {
        return client.resume(machine, DaytonaFixture.config(Map.of()), said::add);
    }

    private static MachineSpec spec(Map<String, Object> given) {
        return DaytonaFixture.spec(DaytonaFixture.config(given));
    }

    private void strike(String operation, Fault.Kind kind, int times) {
        fixture.fake.faults().add(new Fault(operation, kind, times));
    }

    private static Fault.Kind.Answer answer(int status) {
        return new Fault.Kind.Answer(status, Map.of(), "");
    }

    private List<Journal.Entry> asked(String method, String end) {
        return fixture.fake.journal().entries().stream()
                .filter(each -> each.method().equals(method) && each.path().endsWith(end))
                .toList();
    }

    private void await(String id, String state) throws InterruptedException {
        while (!fixture.fake.state(id).equals(state)) fixture.scheduler.pause(Duration.ofMillis(20));
    }

    /// The second of two looks from now on began after now.
    private void awaitTwoLooks(String id) throws InterruptedException {
        int looks = asked("GET", id).size();
        while (asked("GET", id).size() < looks + 2) fixture.scheduler.pause(Duration.ofMillis(20));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    private static void quietly(Work work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
