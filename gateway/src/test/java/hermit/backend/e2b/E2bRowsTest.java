package hermit.backend.e2b;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.exec.ExecBackend;
import hermit.exec.Exit;
import hermit.exec.LiveState.State;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.fake.Fault;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a provider does behind a gateway's back, and what a row then is.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS) // only so that a broken test ends
class E2bRowsTest {
    /// Long enough for an answer on a busy machine.
    private static final E2bTimes IMPATIENT = new E2bTimes(
            Duration.ofSeconds(3),
            Duration.ofSeconds(3),
            Duration.ZERO,
            List.of(Duration.ZERO),
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(3));

    private static TestE2b e2b;

    private final QuickScheduler scheduler = new QuickScheduler();
    private final List<ExecBackend> opened = new ArrayList<>();
    private final List<String> progress = new ArrayList<>();

    @BeforeAll
    static void start() {
        e2b = new TestE2b();
    }

    @AfterAll
    static void stop() {
        e2b.close();
    }

    @AfterEach
    void let_go() throws Exception {
        opened.forEach(ExecBackend::close);
        scheduler.close();
        e2b.fake.faults().clear();
        for (String id : e2b.fake.byHand().ids()) e2b.fake.byHand().delete(id);
        e2b.fake.journal().clear();
    }

    private ExecBackend open(MachineSpec spec) {
        var backend = e2b.provider(e2b.settings, scheduler, TestE2b.SHORT).open(spec);
        opened.add(backend);
        return backend;
    }

    private static String run(ExecBackend on, String script) throws Exception {
        var output = new Recording();
        assertThat(on.start(sh(script).build(), output).await().exit()).isEqualTo(new Exit.Exited(0));
        return output.stdout();
    }

    // --- K1

    @Test
    void a_sandbox_that_was_paused_is_resumed_with_its_files() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        run(backend, "echo kept >~/kept");
        e2b.fake.byHand().pause(machine.externalId());

        assertThatThrownBy(() -> run(backend, "echo never")).isInstanceOf(MachineGone.class);
        var again = backend.ensure(Progress.NONE);

        assertThat(again.externalId()).isEqualTo(machine.externalId());
        assertThat(again.generation()).isEqualTo(machine.generation());
        assertThat(again.notes()).containsExactly("the sandbox was paused and has been resumed");
        assertThat(run(backend, "cat ~/kept")).isEqualTo("kept\n");
    }

    @Test
    void a_sandbox_that_was_deleted_is_made_anew_and_that_is_said() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        e2b.fake.byHand().delete(machine.externalId());

        assertThatThrownBy(() -> run(backend, "echo never")).isInstanceOf(MachineGone.class);
        var again = backend.ensure(Progress.NONE);

        assertThat(again.externalId()).isNotEqualTo(machine.externalId());
        assertThat(again.generation()).isEqualTo(machine.generation() + 1);
        assertThat(again.notes()).singleElement().asString().contains("was gone at the provider");
        assertThat(run(backend, "echo up")).isEqualTo("up\n");
    }

    @Test
    void one_that_was_paused_at_its_time_limit_goes_on_where_it_was() throws Exception {
        var spec = TestE2b.row(Map.of());
        var machine = open(spec).ensure(Progress.NONE);
        e2b.fake.byHand().expire(machine.externalId());
        assertThat(e2b.fake.byHand().state(machine.externalId())).contains("paused");

        assertThat(open(TestE2b.after(spec, machine)).ensure(Progress.NONE).externalId())
                .isEqualTo(machine.externalId());
    }

    // --- F8, K3

    @Test
    void options_are_sent_as_they_were_chosen_and_repeated_at_each_resume() throws Exception {
        var spec = TestE2b.row(
                Map.of("sandbox_timeout_ms", 1_234_500, "metadata", Map.of("team", "blue"), "env", Map.of("A", "1")));
        var before = open(spec);
        var machine = before.ensure(Progress.NONE);
        var created = Calls.JSON.readTree(
                e2b.asked("POST", "/v2/sandboxes").getFirst().body());

        assertThat(created.properties().stream().map(Map.Entry::getKey))
                .containsExactlyInAnyOrder("templateID", "timeout", "autoPause", "metadata", "envVars");
        assertThat(created.path("timeout").asInt()).isEqualTo(1_235);
        assertThat(created.path("autoPause").asBoolean()).isTrue();
        assertThat(created.path("metadata").path("team").asText()).isEqualTo("blue");
        assertThat(created.path("metadata").path("hermit-sandbox").asText())
                .isEqualTo(spec.sandboxId().toString());

        before.shutdown();
        open(TestE2b.after(spec, machine)).ensure(Progress.NONE); // as after a restart of the gateway
        assertThat(e2b.asked("POST", "/connect")).singleElement().satisfies(entry -> {
            assertThat(entry.path()).isEqualTo("/v2/sandboxes/%s/connect".formatted(machine.externalId()));
            assertThat(entry.body()).isEqualTo("{\"timeout\":1235}");
            assertThat(entry.headers()).containsEntry("content-type", "application/json");
        });
    }

    @Test
    void access_to_the_internet_is_sent_only_if_it_was_chosen() throws Exception {
        open(TestE2b.row(Map.of("allow_internet_access", false))).ensure(Progress.NONE);
        var created = Calls.JSON.readTree(
                e2b.asked("POST", "/v2/sandboxes").getFirst().body());
        assertThat(created.path("allow_internet_access").isBoolean()).isTrue();
        assertThat(created.path("allow_internet_access").asBoolean()).isFalse();
    }

    @Test
    void a_resume_that_is_refused_runs_nothing() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        e2b.fake.byHand().pause(machine.externalId());
        e2b.answers("connect", 1, 400, "{\"code\":400,\"message\":\"body is wrong\"}");

        assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("resume sandbox " + machine.externalId())
                .hasMessageContaining("400: body is wrong");
        assertThat(e2b.asked("POST", "/connect")).hasSize(1);
        assertThat(backend.ensure(Progress.NONE).externalId()).isEqualTo(machine.externalId());
    }

    // --- K4

    @Test
    void another_id_after_a_resume_is_taken_over_with_a_warning() throws Exception {
        var spec = TestE2b.row(Map.of());
        var backend = open(spec);
        var machine = backend.ensure(Progress.NONE);
        backend.shutdown();
        e2b.fault("connect", 1, new Fault.Kind.Special("changed_id"));

        var resumed = backend.ensure(Progress.NONE);

        assertThat(resumed.externalId()).isNotEqualTo(machine.externalId());
        assertThat(e2b.fake.byHand().ids()).containsExactly(resumed.externalId());
        assertThat(resumed.notes())
                .anyMatch(note -> note.contains(resumed.externalId())
                        && note.contains(machine.externalId())
                        && note.contains("files may be older"));
        assertThat(run(backend, "echo up")).isEqualTo("up\n");
        assertThat(open(TestE2b.after(spec, resumed)).ensure(Progress.NONE).externalId())
                .isEqualTo(resumed.externalId());
    }

    // --- K6, K7

    @Test
    void a_resume_that_fails_once_is_tried_again() throws Exception {
        for (int status : new int[] {404, 500}) {
            var backend = open(TestE2b.row(Map.of()));
            var machine = backend.ensure(Progress.NONE);
            backend.shutdown();
            e2b.answers("connect", 1, status, "{\"code\":%d,\"message\":\"not now\"}".formatted(status));
            assertThat(backend.ensure(progress::add).externalId()).isEqualTo(machine.externalId());
            assertThat(progress).anyMatch(line -> line.contains("not now"));
        }
    }

    @Test
    void a_resume_that_fails_for_ever_ends_with_what_the_provider_said() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        backend.shutdown();
        e2b.answers("connect", 100, 500, "{\"code\":500,\"message\":\"no node has it\"}");

        assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("500: no node has it");
        assertThat(e2b.asked("POST", "/connect"))
                .hasSize(E2bTimes.USUAL.between().size() + 1);
        assertThat(e2b.fake.byHand().ids()).containsExactly(machine.externalId());
    }

    @Test
    void a_change_in_progress_is_waited_for_and_the_command_runs_once() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        backend.ensure(Progress.NONE);
        backend.shutdown();
        e2b.answers("connect", 2, 409, "{\"code\":409,\"message\":\"Sandbox is being paused\"}");
        e2b.answers("connect", 1, 502, "<html>bad gateway</html>");
        e2b.fault("edge", 2, new Fault.Kind.Special("not_up"));

        backend.ensure(Progress.NONE);
        run(backend, "echo x >>~/times");

        assertThat(run(backend, "cat ~/times")).isEqualTo("x\n");
        assertThat(scheduler.pauses()).startsWith(Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void an_edge_that_fails_for_a_while_is_no_lost_sandbox() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        e2b.answers("start", 2, 409, "{\"message\":\"The sandbox is still transitioning\",\"code\":409}");
        assertThat(backend.ensure(Progress.NONE).generation()).isEqualTo(1);
        assertThat(e2b.asked("POST", "/v2/sandboxes")).hasSize(1);
    }

    // --- K8

    @Test
    void a_broken_sandbox_is_replaced_and_stays_on_the_list() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        e2b.fake.byHand().state(machine.externalId(), "error");
        assertThat(backend.observe().state()).isEqualTo(State.ERROR);
        assertThat(backend.observe().detail()).isEqualTo("error");

        var replaced = backend.ensure(Progress.NONE);

        assertThat(replaced.externalId()).isNotEqualTo(machine.externalId());
        assertThat(replaced.notes()).singleElement().asString().contains("leftover");
        var provider = e2b.provider(e2b.settings, scheduler, TestE2b.SHORT);
        assertThat(provider.machines())
                .extracting(found -> found.id())
                .contains(machine.externalId(), replaced.externalId());
        provider.close();
    }

    // --- K9

    @Test
    void the_way_in_has_no_time_limit_of_the_providers_and_short_programs_have_ours() throws Exception {
        open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        var starts = e2b.asked("POST", "/process.Process/Start");
        assertThat(starts)
                .filteredOn(entry -> entry.body().contains("\"stdin\":true"))
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(entry.headers()).doesNotContainKey("connect-timeout-ms"));
        assertThat(starts)
                .filteredOn(entry -> entry.body().contains("\"stdin\":false"))
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(entry.headers()).containsEntry("connect-timeout-ms", "30000"));
        assertThat(starts)
                .allSatisfy(entry -> assertThat(entry.headers())
                        .containsEntry("authorization", "Basic cm9vdDo=")
                        .containsKey("keepalive-ping-interval"));
    }

    // --- K10

    @Test
    void a_control_plane_that_never_answers_is_given_up() throws Exception {
        e2b.fault("info", 1, new Fault.Kind.Stall());
        try (var client = new E2bClient(e2b.settings, TestE2b.INSTANCE, scheduler, IMPATIENT)) {
            assertThatThrownBy(() -> client.find("iabc"))
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("look for sandbox iabc: E2B gives no answer: no answer within 3s");
        }
    }

    @Test
    void a_daemon_that_never_answers_is_given_up() throws Exception {
        var machine = open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        try (var client = new E2bClient(e2b.settings, TestE2b.INSTANCE, scheduler, IMPATIENT)) {
            var guest = client.guest(client.find(machine.externalId()).orElseThrow(), TestE2b.config(Map.of()));
            e2b.fault("start", 2, new Fault.Kind.Stall());
            assertThatThrownBy(() -> guest.run(List.of("true"), Duration.ofMillis(300)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no answer within 3s");
            assertThatThrownBy(() -> guest.open(List.of("cat"))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_program_without_an_end_is_given_up_after_its_limit() throws Exception {
        var machine = open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        try (var client = new E2bClient(e2b.settings, TestE2b.INSTANCE, scheduler)) {
            var guest = client.guest(client.find(machine.externalId()).orElseThrow(), TestE2b.config(Map.of()));
            assertThatThrownBy(() -> guest.run(List.of("sleep", "30075"), Duration.ofMillis(300)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("deadline_exceeded");
        }
    }

    @Test
    void a_stream_that_breaks_is_opened_again_and_the_command_goes_on() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        var output = new Recording();
        var running = backend.start(
                sh("echo one >>~/log; cat ~/log; while [ ! -e ~/go ]; do sleep 0.1; done; echo two")
                        .build(),
                output);
        output.awaitStdout("one\n");
        long streams = streams();

        e2b.fake.byHand().cut(machine.externalId());
        run(backend, "touch ~/go");

        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(output.stdout()).isEqualTo("one\ntwo\n");
        assertThat(streams()).isGreaterThan(streams);
    }

    private static long streams() {
        return e2b.asked("POST", "/process.Process/Start").stream()
                .filter(entry -> entry.body().contains("\"stdin\":true"))
                .count();
    }

    // --- K12

    @Test
    void a_rate_limit_is_waited_out_as_long_as_the_provider_asks_and_that_is_said() throws Exception {
        e2b.fault("create", 2, limited("7"));
        open(TestE2b.row(Map.of())).ensure(progress::add);

        assertThat(scheduler.pauses()).startsWith(Duration.ofSeconds(7), Duration.ofSeconds(7));
        assertThat(e2b.asked("POST", "/v2/sandboxes")).hasSize(3);
        assertThat(progress).contains("E2B limits the rate of requests; waiting for 7 s");
        assertThat(e2b.fake.byHand().ids()).hasSize(1);
    }

    @Test
    void a_limit_that_does_not_pass_by_waiting_is_told_at_once() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        e2b.answers(
                "create", 1, 429, "{\"code\":429,\"message\":\"you have reached the maximum number of sandboxes\"}");
        assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                .isInstanceOf(BackendUnavailable.class)
                .hasMessageContaining("you have reached the maximum number of sandboxes");
        e2b.fault("create", 1, limited("3600"));
        assertThatThrownBy(() -> backend.ensure(Progress.NONE)).isInstanceOf(BackendUnavailable.class);
        e2b.fault("create", 100, limited("1"));
        assertThatThrownBy(() -> backend.ensure(Progress.NONE)).isInstanceOf(BackendUnavailable.class);
        assertThat(e2b.asked("POST", "/v2/sandboxes")).hasSize(1 + 1 + 4);
    }

    private static Fault.Kind limited(String seconds) {
        return new Fault.Kind.Answer(429, Map.of("Retry-After", seconds), "{\"code\":429,\"message\":\"Rate limit\"}");
    }

    // --- K14

    @Test
    void letting_go_of_a_row_leaves_its_sandbox_and_destroying_does_not() throws Exception {
        var spec = TestE2b.row(Map.of());
        var backend = open(spec);
        var machine = backend.ensure(Progress.NONE);
        backend.close();
        assertThat(e2b.fake.byHand().state(machine.externalId())).contains("running");

        var again = open(TestE2b.after(spec, machine));
        again.destroy();
        again.destroy();
        assertThat(e2b.fake.byHand().ids()).isEmpty();
        assertThat(again.observe().state()).isEqualTo(State.ABSENT);
    }

    // --- a gateway that dies in the middle

    @Test
    void a_creation_whose_answer_is_lost_is_one_sandbox() throws Exception {
        e2b.fault("create", 1, new Fault.Kind.Lose());
        var machine = open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        assertThat(e2b.fake.byHand().ids()).containsExactly(machine.externalId());
        assertThat(e2b.asked("POST", "/v2/sandboxes")).hasSize(1);
    }

    @Test
    void a_gateway_that_dies_while_it_creates_finds_what_it_made_when_it_is_back() throws Exception {
        var spec = TestE2b.row(Map.of());
        e2b.fault("create", 1, new Fault.Kind.Lose());
        e2b.answers("list", 2, 503, "{\"code\":503,\"message\":\"busy\"}"); // it dies before it can look
        assertThatThrownBy(() -> open(spec).ensure(Progress.NONE)).isInstanceOf(GatewayException.class);
        e2b.fake.faults().clear();

        var machine = open(spec).ensure(Progress.NONE);

        assertThat(machine.generation()).isEqualTo(1);
        assertThat(e2b.fake.byHand().ids()).containsExactly(machine.externalId());
    }

    @Test
    void a_gateway_that_dies_while_it_resumes_finds_the_same_sandbox_running() throws Exception {
        var spec = TestE2b.row(Map.of());
        var before = open(spec);
        var machine = before.ensure(Progress.NONE);
        before.shutdown();
        e2b.fault("connect", 1, new Fault.Kind.Lose());
        assertThatThrownBy(() -> before.ensure(Progress.NONE)).isInstanceOf(BackendUnavailable.class);

        var again = open(TestE2b.after(spec, machine)).ensure(Progress.NONE);

        assertThat(again).isEqualTo(new Machine(machine.externalId(), machine.generation(), List.of()));
        assertThat(e2b.fake.byHand().ids()).hasSize(1);
    }

    @Test
    void a_gateway_that_dies_while_a_command_runs_finds_it_again() throws Exception {
        var spec = TestE2b.row(Map.of());
        var before = open(spec);
        var machine = before.ensure(Progress.NONE);
        var command = sh("echo x >>~/times; echo one; while [ ! -e ~/go ]; do sleep 0.1; done; exit 5")
                .build();
        var seen = new Recording();
        before.start(command, seen);
        seen.awaitStdout("one\n");
        before.close();

        var after = open(TestE2b.after(spec, machine));
        after.ensure(Progress.NONE);
        var output = new Recording();
        var found = after.attach(command.id(), 0, 0, output).orElseThrow();
        run(after, "touch ~/go");
        assertThat(found.await().exit()).isEqualTo(new Exit.Exited(5));
        assertThat(output.stdout()).isEqualTo("one\n");
        assertThat(run(after, "cat ~/times")).isEqualTo("x\n");
    }

    @Test
    void a_pause_whose_answer_is_lost_is_a_pause() throws Exception {
        var backend = open(TestE2b.row(Map.of()));
        var machine = backend.ensure(Progress.NONE);
        e2b.fault("pause", 1, new Fault.Kind.Lose());
        backend.shutdown();
        assertThat(e2b.fake.byHand().state(machine.externalId())).contains("paused");
    }

    @Test
    void a_sandbox_that_never_answers_is_destroyed_again() throws Exception {
        e2b.answers("health", 1_000, 502, "{\"message\":\"port is not open\",\"code\":502}");
        assertThatThrownBy(() -> open(TestE2b.row(Map.of())).ensure(Progress.NONE))
                .isInstanceOf(BackendUnavailable.class)
                .hasMessageContaining("does not answer");
        assertThat(e2b.fake.byHand().ids()).isEmpty();
    }

    // --- in use

    @Test
    void a_sandbox_in_use_has_its_limit_put_off_by_its_own_timeout() throws Exception {
        var config = TestE2b.config(Map.of("sandbox_timeout_ms", 90_000));
        var machine = open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        e2b.fake.journal().clear();
        try (var client = new E2bClient(e2b.settings, TestE2b.INSTANCE, scheduler)) {
            assertThat(client.prolongEvery(config)).isEqualTo(Duration.ofSeconds(30));
            assertThat(client.prolongEvery(TestE2b.config(Map.of()))).isEqualTo(Duration.ofMinutes(1));
            client.prolong(machine.externalId(), config);
            client.prolong("igone", config); // whoever uses it finds out
        }
        assertThat(e2b.asked("POST", "/%s/timeout".formatted(machine.externalId())))
                .singleElement()
                .satisfies(entry -> assertThat(entry.body()).isEqualTo("{\"timeout\":90}"));
    }

    // --- keys

    @Test
    void without_a_key_nothing_is_asked_and_the_variable_is_named() {
        var provider = e2b.provider(e2b.settings(Optional.empty(), Optional.empty()), scheduler, TestE2b.SHORT);
        assertThat(provider.isConfigured()).isFalse();
        assertThatThrownBy(() -> provider.open(TestE2b.row(Map.of())).ensure(Progress.NONE))
                .isInstanceOf(MissingCredential.class)
                .hasMessageContaining("E2B_API_KEY");
        assertThat(e2b.fake.journal().entries()).isEmpty();
        provider.close();
    }

    @Test
    void a_wrong_key_is_told_by_the_name_of_its_variable() throws Exception {
        var wrong = e2b.settings(Optional.of("e2b_canary_5d1"), Optional.empty());
        var provider = e2b.provider(wrong, scheduler, TestE2b.SHORT);
        var health = provider.health();
        assertThat(health.toString())
                .contains("E2B refuses the key in E2B_API_KEY")
                .doesNotContain("canary");
        assertThatThrownBy(() -> provider.open(TestE2b.row(Map.of())).ensure(Progress.NONE))
                .isInstanceOf(ProviderError.class)
                .hasMessageNotContaining("canary");
        provider.close();
    }

    @Test
    void a_provider_that_repeats_the_key_does_not_make_us_repeat_it() {
        String echo = "{\"code\":400,\"message\":\"bad header X-API-KEY: %s\"}"
                .formatted(e2b.settings.apiKey().get().reveal());
        e2b.answers("create", 1, 400, echo);
        assertThatThrownBy(() -> open(TestE2b.row(Map.of())).ensure(Progress.NONE))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("bad header X-API-KEY: …")
                .hasMessageNotContaining(e2b.settings.apiKey().get().reveal());
    }

    @Test
    void nothing_that_is_printed_shows_the_key_or_a_token() throws Exception {
        var machine = open(TestE2b.row(Map.of())).ensure(Progress.NONE);
        try (var client = new E2bClient(e2b.settings, TestE2b.INSTANCE, scheduler)) {
            var found = client.find(machine.externalId()).orElseThrow();
            var address = DaemonAddress.of(e2b.settings, found);
            String token = address.token().orElseThrow();
            assertThat(found + " " + address + " " + e2b.settings)
                    .doesNotContain(token)
                    .doesNotContain(e2b.settings.apiKey().get().reveal());
        }
        for (var entry : e2b.fake.journal().entries()) {
            assertThat(entry.path() + entry.body())
                    .doesNotContain(e2b.settings.apiKey().get().reveal());
            assertThat(entry.headers().containsKey("x-api-key")
                            && entry.headers().containsKey("e2b-sandbox-id"))
                    .as("the key goes to the control plane only")
                    .isFalse();
        }
    }
}
