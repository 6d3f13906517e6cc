package hermit.backend.tenki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import hermit.backend.cloud.CloudMachine;
import hermit.config.Secret;
import hermit.exec.LiveState.State;
import hermit.fake.Fault.Kind;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Sessions as machines, at a Tenki that does not always do what it should.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TenkiClientTest {
    private static final Kind BAD_GATEWAY = new Kind.Answer(502, Map.of(), "bad gateway");
    private static final Kind SERVER_ERROR = new Kind.Answer(500, Map.of(), "oops");

    private final List<String> progress = new CopyOnWriteArrayList<>();
    private TestTenki tenki;
    private TenkiClient client;

    @BeforeEach
    void start() throws Exception {
        tenki = new TestTenki();
        client = tenki.client();
    }

    @AfterEach
    void stop() {
        tenki.close();
    }

    private CloudMachine create() throws InterruptedException {
        var spec = TestTenki.row();
        return client.create(spec, TestTenki.marks(spec), progress::add);
    }

    private Optional<CloudMachine> resume(CloudMachine machine) throws InterruptedException {
        return client.resume(machine, TestTenki.config(Map.of()), progress::add);
    }

    // --- from making to the end

    @Test
    void a_machine_is_made_found_listed_and_destroyed() throws Exception {
        var spec = TestTenki.row();
        var made = tenki.create(client, spec);
        tenki.create(client, TestTenki.row());

        assertThat(made.state()).isEqualTo(State.RUNNING);
        assertThat(made.marks()).isEqualTo(TestTenki.marks(spec).toMap());
        assertThat(client.find(made.id())).contains(made);
        assertThat(client.list(Optional.of(spec.sandboxId()))).containsExactly(made);
        assertThat(client.list(Optional.empty())).hasSize(2);
        assertThat(tenki.happenings().find(made.id()).orElseThrow().timeoutAt())
                .isCloseTo(Instant.now().plus(Duration.ofHours(1)), within(2, ChronoUnit.MINUTES));

        client.destroy(made.id());
        client.destroy(made.id());
        assertThat(client.find(made.id())).isEmpty();
        assertThat(client.list(Optional.of(spec.sandboxId()))).isEmpty();
    }

    @Test
    void machines_of_another_gateway_are_not_listed() throws Exception {
        create();
        var other = new TenkiClient(
                TestTenki.settings(Optional.of(new Secret(TestTenki.TOKEN)), tenki.fake.address()),
                new UUID(9, 9),
                tenki.scheduler);
        try (other) {
            assertThat(other.list(Optional.empty())).isEmpty();
        }
    }

    @Test
    void what_was_never_there_is_not_found_and_nothing_is_done_to_it() throws Exception {
        for (String id : List.of(UUID.randomUUID().toString(), "no-uuid")) {
            assertThat(client.find(id)).isEmpty();
            client.pause(id);
            client.destroy(id);
            client.prolong(id, TestTenki.config(Map.of()));
        }
    }

    @Test
    void one_that_starts_slowly_is_waited_for() throws Exception {
        tenki.fault("start", new Kind.Delay(Duration.ofSeconds(2)), 1);
        assertThat(create().state()).isEqualTo(State.RUNNING);
        assertThat(progress).contains("the sandbox is creating", "the sandbox is running");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unimplemented", "reset", "lost", "ended early"})
    void without_a_stream_to_wait_on_it_is_asked_for(String how) throws Exception {
        Kind kind = switch (how) {
            case "unimplemented" -> new Kind.Answer(12, Map.of(), "unknown method");
            case "reset" -> new Kind.Special("refused_stream");
            case "lost" -> new Kind.Lose();
            default -> new Kind.Special("ends_early");
        };
        tenki.fault("WaitSession", kind, 1);
        assertThat(create().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("GetSession")).isPositive();
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void one_that_fails_to_start_says_why_and_leaves_nothing() {
        tenki.special("start", "fails");
        assertThatExceptionOfType(ProviderError.class)
                .isThrownBy(this::create)
                .withMessageContaining("provisioning failed");
        assertThat(tenki.alive()).isEmpty();
    }

    @Test
    void one_that_does_not_come_to_run_is_terminated() {
        tenki.fault("start", new Kind.Delay(Duration.ofSeconds(60)), 1);
        client = tenki.client(settings(Duration.ofSeconds(20), Duration.ofSeconds(2)));
        assertThatExceptionOfType(BackendUnavailable.class).isThrownBy(this::create);
        awaitNobody();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lost", "stalled"})
    void one_whose_making_was_not_answered_is_found_again(String how) throws Exception {
        tenki.fault("CreateSession", how.equals("lost") ? new Kind.Lose() : new Kind.Stall(), 1);
        client = tenki.client(settings(Duration.ofSeconds(2), Duration.ofSeconds(60)));
        var made = create();
        assertThat(made.state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("CreateSession")).isEqualTo(1);
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void a_create_that_was_turned_away_is_repeated_and_made_once() throws Exception {
        tenki.fault("CreateSession", new Kind.Special("refused_stream"), 2);
        create();
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void a_provider_that_is_too_busy_is_given_the_time_it_asks_for() throws Exception {
        tenki.fault("CreateSession", new Kind.Answer(429, Map.of("retry-after", "1"), "slow down"), 1);
        tenki.fault("CreateSession", new Kind.Answer(8, Map.of("retry-after", "1"), "rate limit exceeded"), 1);
        create();
        assertThat(progress)
                .filteredOn(line -> line.equals("Tenki is busy; asking again in 1000 ms"))
                .hasSize(2);
        assertThat(tenki.calls("CreateSession")).isEqualTo(3);
        assertThat(tenki.alive()).hasSize(1);
    }

    @Test
    void a_provider_that_wants_a_long_rest_is_not_waited_for() {
        tenki.fault("CreateSession", new Kind.Answer(429, Map.of("retry-after", "600"), "slow down"), 9);
        assertThatExceptionOfType(BackendUnavailable.class)
                .isThrownBy(this::create)
                .withMessageContaining("429");
        assertThat(tenki.calls("CreateSession")).isEqualTo(1);
    }

    @Test
    void a_quota_that_is_used_up_is_an_error() {
        tenki.fault("CreateSession", new Kind.Answer(8, Map.of(), "maximum sessions reached"), 9);
        assertThatExceptionOfType(ProviderError.class)
                .isThrownBy(this::create)
                .withMessageContaining("maximum sessions reached");
    }

    // --- while it is there

    @Test
    void one_that_was_paused_under_us_is_resumed_and_lives_on_for_an_hour() throws Exception {
        var made = create();
        tenki.happenings().pause(made.id());
        var found = client.find(made.id()).orElseThrow();
        assertThat(found.state()).isEqualTo(State.PAUSED);
        tenki.happenings().endIn(made.id(), Duration.ofMinutes(2));

        assertThat(resume(found).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.happenings().find(made.id()).orElseThrow().timeoutAt())
                .isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    }

    @Test
    void one_that_was_shut_down_from_inside_is_started_again() throws Exception {
        var made = create();
        tenki.happenings().shutDown(made.id());
        var found = client.find(made.id()).orElseThrow();
        assertThat(found.state()).isEqualTo(State.STOPPED);
        assertThat(resume(found).orElseThrow().state()).isEqualTo(State.RUNNING);
    }

    @Test
    void one_that_was_deleted_under_us_is_gone() throws Exception {
        var made = create();
        tenki.happenings().terminate(made.id());
        assertThat(client.find(made.id())).isEmpty();
        assertThat(resume(made)).isEmpty();
        tenki.happenings().forget(made.id());
        assertThat(client.find(made.id())).isEmpty();
        assertThat(resume(made)).isEmpty();
    }

    @Test
    void a_resume_that_fell_back_is_tried_once_more() throws Exception {
        var made = create();
        client.pause(made.id());
        tenki.special("restore", "falls_back");
        assertThat(resume(made).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("ResumeSession")).isEqualTo(2);
    }

    @Test
    void a_resume_that_always_falls_back_says_why() throws Exception {
        var made = create();
        client.pause(made.id());
        tenki.fault("restore", new Kind.Special("falls_back"), 9);
        assertThatExceptionOfType(ProviderError.class)
                .isThrownBy(() -> resume(made))
                .withMessageContaining("no capacity to restore the snapshot");
        assertThat(tenki.calls("ResumeSession")).isEqualTo(2);
        assertThat(tenki.state(made.id())).isEqualTo("PAUSED");
    }

    @Test
    void reads_that_are_behind_do_not_make_a_second_resume() throws Exception {
        var made = create();
        client.pause(made.id());
        tenki.fault("GetSession", new Kind.Special("stale_paused"), 4);
        assertThat(resume(made).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("ResumeSession")).isEqualTo(1);
    }

    @Test
    void a_change_that_is_under_way_is_waited_for() throws Exception {
        var made = create();
        tenki.fault("capture", new Kind.Delay(Duration.ofSeconds(2)), 1);
        var pausing = Thread.ofVirtual().start(() -> {
            try {
                tenki.happenings().pause(made.id());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (!tenki.state(made.id()).equals("PAUSING")) Thread.onSpinWait();

        var found = client.find(made.id()).orElseThrow();
        assertThat(found.state()).isEqualTo(State.STOPPING);
        assertThat(resume(found).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("ResumeSession")).isEqualTo(1);
        pausing.join();
    }

    @Test
    void failures_that_pass_are_waited_out_and_others_end_in_a_clear_error() throws Exception {
        var made = create();
        tenki.fault("GetSession", BAD_GATEWAY, 2);
        tenki.fault("GetSession", SERVER_ERROR, 1);
        assertThat(client.find(made.id())).isPresent();

        tenki.fault("GetSession", BAD_GATEWAY, 20);
        assertThatExceptionOfType(BackendUnavailable.class)
                .isThrownBy(() -> client.find(made.id()))
                .withMessageContaining("502");
        tenki.fake.faults().clear();
        tenki.fault("GetSession", new Kind.Answer(400, Map.of(), "no"), 20);
        assertThatExceptionOfType(ProviderError.class).isThrownBy(() -> client.find(made.id()));
    }

    @Test
    void a_resume_that_is_not_answered_is_seen_all_the_same() throws Exception {
        var made = create();
        client.pause(made.id());
        tenki.fault("ResumeSession", new Kind.Lose(), 1);
        assertThat(resume(made).orElseThrow().state()).isEqualTo(State.RUNNING);
        assertThat(tenki.calls("ResumeSession")).isEqualTo(1);
    }

    @Test
    void a_state_that_nobody_knows_is_no_error_and_not_parked() throws Exception {
        var made = create();
        tenki.special("GetSession", "unknown_state");
        var found = client.find(made.id()).orElseThrow();
        assertThat(found.state()).isEqualTo(State.UNKNOWN);
        assertThat(found.detail()).isEqualTo("in state 77");
    }

    @Test
    void a_pause_is_over_when_it_is_paused() throws Exception {
        var made = create();
        client.pause(made.id());
        assertThat(tenki.state(made.id())).isEqualTo("PAUSED");
        client.pause(made.id());
        assertThat(tenki.calls("PauseSession")).isEqualTo(1);
    }

    @Test
    void a_pause_that_was_rolled_back_is_tried_once_more() throws Exception {
        var made = create();
        tenki.special("capture", "rolls_back");
        client.pause(made.id());
        assertThat(tenki.state(made.id())).isEqualTo("PAUSED");

        resume(made);
        tenki.fault("capture", new Kind.Special("rolls_back"), 9);
        assertThatExceptionOfType(ProviderError.class)
                .isThrownBy(() -> client.pause(made.id()))
                .withMessageContaining("it runs again");
    }

    @Test
    void a_pause_that_is_not_answered_is_seen_all_the_same() throws Exception {
        var made = create();
        tenki.fault("PauseSession", new Kind.Lose(), 1);
        client.pause(made.id());
        assertThat(tenki.state(made.id())).isEqualTo("PAUSED");
    }

    @Test
    void one_in_use_lives_for_an_hour_from_now_and_no_longer() throws Exception {
        var made = create();
        tenki.happenings().endIn(made.id(), Duration.ofMinutes(10));
        for (int i = 0; i < 5; i++) client.prolong(made.id(), TestTenki.config(Map.of()));
        assertThat(tenki.calls("ExtendSession")).isEqualTo(1);
        assertThat(tenki.happenings().find(made.id()).orElseThrow().timeoutAt())
                .isCloseTo(Instant.now().plus(Duration.ofHours(1)), within(2, ChronoUnit.MINUTES));
    }

    @Test
    void a_session_that_was_extended_by_others_is_left_as_it_is() throws Exception {
        var made = create();
        tenki.happenings().endIn(made.id(), Duration.ofHours(5));
        client.prolong(made.id(), TestTenki.config(Map.of()));
        assertThat(tenki.calls("ExtendSession")).isZero();
    }

    // --- keys

    @Test
    void the_key_is_checked() throws Exception {
        client.check();
        assertThatExceptionOfType(MissingCredential.class)
                .isThrownBy(
                        () -> tenki.client(Optional.of(new Secret("tk_wrong"))).check())
                .withMessageContaining("TENKI_AUTH_TOKEN")
                .satisfies(e -> assertThat(trace(e)).doesNotContain("tk_wrong"));
    }

    @Test
    void without_a_key_nobody_is_asked() {
        for (var token :
                List.of(Optional.<Secret>empty(), Optional.of(new Secret("  ")), Optional.of(new Secret("key"))))
            assertThatExceptionOfType(MissingCredential.class)
                    .isThrownBy(() -> tenki.client(token).check())
                    .withMessageContaining("TENKI_AUTH_TOKEN");
        assertThat(tenki.fake.journal().entries()).isEmpty();
    }

    @Test
    void a_key_that_is_said_back_to_us_goes_no_further() {
        tenki.fault("GetSession", new Kind.Answer(13, Map.of(), "bad token " + TestTenki.TOKEN), 1);
        assertThatExceptionOfType(GatewayException.class)
                .isThrownBy(() -> client.find(UUID.randomUUID().toString()))
                .satisfies(e -> assertThat(trace(e)).doesNotContain(TestTenki.TOKEN));
    }

    @Test
    void a_provider_that_is_not_there_is_unavailable() {
        var nowhere = tenki.client(
                TestTenki.settings(Optional.of(new Secret(TestTenki.TOKEN)), URI.create("http://127.0.0.1:1")));
        assertThatExceptionOfType(BackendUnavailable.class).isThrownBy(nowhere::check);
    }

    private TenkiSettings settings(Duration createWithin, Duration startWithin) {
        var usual = TestTenki.settings(Optional.of(new Secret(TestTenki.TOKEN)), tenki.fake.address());
        return new TenkiSettings(
                usual.token(),
                usual.endpoint(),
                usual.callWithin(),
                createWithin,
                usual.pauseWithin(),
                startWithin,
                usual.readyWithin(),
                usual.abortAfter());
    }

    private void awaitNobody() {
        while (!tenki.alive().isEmpty()) Thread.onSpinWait();
    }

    private static String trace(Throwable e) {
        var text = new StringBuilder();
        for (Throwable each = e; each != null; each = each.getCause())
            text.append(each).append('\n');
        return text.toString();
    }
}
