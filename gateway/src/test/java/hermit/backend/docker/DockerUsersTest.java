package hermit.backend.docker;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.exec.ExecBackend;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sandboxes of one agent with different users, which have one workspace.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerUsersTest {
    private final TestDocker docker = new TestDocker();
    private final UUID agent = UUID.randomUUID();

    @AfterEach
    void remove_everything() throws Exception {
        docker.close();
    }

    private MachineSpec row(String username) {
        return TestDocker.row(agent, TestDocker.config(Map.of("username", username, "agent_home", "/home/agent")));
    }

    private static String run(ExecBackend backend, String script) throws Exception {
        var output = new Recording();
        backend.start(sh(script).build(), output).await();
        return output.stdout() + output.stderr();
    }

    private static void bothWrite(ExecBackend first, ExecBackend second) throws Exception {
        assertThat(run(first, "echo first >~/first && cat ~/first")).isEqualTo("first\n");
        assertThat(run(second, "echo second >~/second && cat ~/first ~/second")).isEqualTo("first\nsecond\n");
        assertThat(run(first, "echo more >>~/first && cat ~/first ~/second")).isEqualTo("first\nmore\nsecond\n");
        assertThat(run(second, "echo x >>~/first || echo refused")).startsWith("refused\n");
    }

    @Test
    void each_may_write_whoever_was_made_last_and_what_one_wrote_stays_its_own() throws Exception {
        var spec = row("1000");
        try (var first = docker.open(spec);
                var second = docker.open(row("1001:1001"))) {
            first.ensure(Progress.NONE);
            second.ensure(Progress.NONE);
            bothWrite(first, second);
            first.destroy();
            first.ensure(Progress.NONE);
            for (var each : List.of(first, second))
                assertThat(run(each, "touch ~/again-$(id -u) && echo fine")).isEqualTo("fine\n");
        }
    }

    @Test
    void each_may_write_when_both_are_made_at_once() throws Exception {
        try (var first = docker.open(row("1000"));
                var second = docker.open(row("1001"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Object>> starts =
                    List.of(() -> first.ensure(Progress.NONE), () -> second.ensure(Progress.NONE));
            for (var each : threads.invokeAll(starts)) each.get();
            bothWrite(first, second);
        }
    }

    @Test
    void a_workspace_of_one_user_beside_root_is_that_users_alone() throws Exception {
        try (var root = docker.open(row("root"));
                var zero = docker.open(row("0:0"));
                var user = docker.open(row("1000"))) {
            root.ensure(Progress.NONE);
            zero.ensure(Progress.NONE);
            user.ensure(Progress.NONE);
            Path workspace = docker.root.resolve(agent.toString());
            assertThat(Files.getAttribute(workspace, "unix:uid")).isEqualTo(1000);
            assertThat(Files.getAttribute(workspace, "unix:mode")).isEqualTo(040755);
        }
    }

    @Test
    void a_sandbox_whose_user_is_changed_has_its_workspace_alone() throws Exception {
        var spec = row("1000");
        try (var backend = docker.open(spec)) {
            var machine = backend.ensure(Progress.NONE);
            try (var changed =
                    docker.open(TestDocker.after(spec, machine, row("1001").config()))) {
                changed.ensure(Progress.NONE);
                assertThat(run(changed, "touch ~/x && stat -c '%u %a' ~")).isEqualTo("1001 755\n");
            }
        }
    }

    @Test
    void a_remote_engine_keeps_the_same_rule() throws Exception {
        try (var engine = new TcpEngine(ServerSocketFactory.getDefault());
                var provider = new DockerProvider(at(engine.endpoint()), docker.scheduler, new SecureRandom());
                var first = provider.open(row("1000"));
                var second = provider.open(row("1001"))) {
            first.ensure(Progress.NONE);
            second.ensure(Progress.NONE);
            bothWrite(first, second);
        }
    }

    private DockerSettings at(URI endpoint) {
        return TestDocker.at(endpoint, docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER));
    }
}
