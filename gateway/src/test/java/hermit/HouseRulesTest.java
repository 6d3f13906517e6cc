package hermit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import hermit.houserules.Offender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The doors of the house. ARCHITECTURE.md has the table for people; this is the one that fails.
@DisplayNameGeneration(ReplaceUnderscores.class)
class HouseRulesTest {
    /// One room: which of the other rooms it may use, and which libraries beside the JDK's core.
    record Room(String name, Set<String> mayUse, Set<String> libraries) {
        boolean lets(JavaClass other) {
            String home = other.getPackageName();
            if (home.equals("hermit") || home.startsWith("hermit."))
                return home.equals(name) || mayUse.contains(home) || home.startsWith("hermit.api");
            return CORE.stream().anyMatch(home::equals)
                    || libraries.stream().anyMatch(each -> home.equals(each) || home.startsWith(each + "."));
        }
    }

    /// What every room may use: values, threads, files and streams. Neither SQL nor HTTP is among it.
    private static final Set<String> CORE = Set.of(
            "",
            "java.io",
            "java.lang",
            "java.lang.annotation",
            "java.lang.invoke",
            "java.lang.ref",
            "java.lang.reflect",
            "java.lang.runtime",
            "java.math",
            "java.net",
            "java.nio",
            "java.nio.channels",
            "java.nio.charset",
            "java.nio.file",
            "java.nio.file.attribute",
            "java.security",
            "java.text",
            "java.time",
            "java.time.format",
            "java.time.temporal",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks",
            "java.util.function",
            "java.util.random",
            "java.util.regex",
            "java.util.stream",
            "java.util.zip",
            "org.jspecify.annotations",
            "org.slf4j");

    /// Features in the order in which a later one may use those before it.
    private static final List<String> FEATURES = List.of(
            "agent",
            "identity",
            "access",
            "sandbox",
            "command",
            "skill",
            "lifecycle",
            "audit",
            "session",
            "approval",
            "tool",
            "mcp",
            "turn");

    /// Of features that read a format of somebody else's.
    private static final Map<String, String[]> LIBRARIES =
            Map.of("hermit.skill", new String[] {"org.snakeyaml.engine", "org.apache.commons.compress"});

    private static final Map<String, Room> ROOMS = rooms();

    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("hermit")
            .that(describe(
                    "are written by hand",
                    each -> Stream.of("hermit.db.generated", "hermit.api", "hermit.tenki.wire", "hermit.fake")
                            .noneMatch(each.getPackageName()::startsWith)));

    private static Map<String, Room> rooms() {
        var rooms = new LinkedHashMap<String, Room>();
        add(rooms, "hermit.problem", Set.of());
        add(rooms, "hermit.json", Set.of(), "com.fasterxml.jackson.core");
        add(rooms, "hermit.exec", Set.of("hermit.problem"));
        add(rooms, "hermit.world", Set.of("hermit.exec"));
        add(rooms, "hermit.paging", Set.of());
        var below = new LinkedHashSet<>(Set.of("hermit.problem", "hermit.exec", "hermit.world", "hermit.paging"));
        var httpBelow = new LinkedHashSet<String>();
        for (String feature : FEATURES) {
            String name = "hermit." + feature;
            add(rooms, name, below, LIBRARIES.getOrDefault(name, new String[0]));
            below.add(name);
            add(
                    rooms,
                    name + ".sql",
                    with(
                            below,
                            "hermit.db",
                            "hermit.db.generated",
                            "hermit.db.generated.tables",
                            "hermit.db.generated.tables.records"),
                    "org.jooq");
            add(
                    rooms,
                    name + ".http",
                    with(
                            below,
                            Stream.concat(Stream.of("hermit.http"), httpBelow.stream())
                                    .toArray(String[]::new)),
                    "io.javalin",
                    "io.micrometer");
            httpBelow.add(name + ".http");
        }
        var mcp = rooms.get("hermit.mcp.http");
        add(rooms, mcp.name(), with(mcp.mayUse(), "hermit.json"), "io.modelcontextprotocol");
        add(
                rooms,
                "hermit.config",
                Set.of(
                        "hermit.problem",
                        "hermit.json",
                        "hermit.exec",
                        "hermit.sandbox",
                        "hermit.command",
                        "hermit.turn"));
        add(
                rooms,
                "hermit.model",
                with(below, "hermit.json", "hermit.config"),
                "dev.langchain4j",
                "java.net.http",
                "javax.net.ssl");
        add(
                rooms,
                "hermit.db",
                Set.of("hermit.problem", "hermit.json", "hermit.config"),
                "java.sql",
                "javax.sql",
                "org.jooq",
                "org.flywaydb",
                "com.zaxxer.hikari",
                "org.sqlite");
        add(
                rooms,
                "hermit.http",
                Set.of("hermit.problem", "hermit.json", "hermit.world", "hermit.paging", "hermit.access"),
                "io.javalin",
                "org.eclipse.jetty",
                "jakarta.servlet",
                "com.fasterxml.jackson",
                "io.micrometer");
        add(rooms, "hermit.ui", Set.of("hermit.problem", "hermit.http"));
        var backend = Set.of("hermit.problem", "hermit.exec", "hermit.world", "hermit.config");
        add(rooms, "hermit.backend.keeper", Set.of("hermit.problem", "hermit.exec", "hermit.world"));
        add(
                rooms,
                "hermit.backend.docker",
                with(backend, "hermit.backend.keeper"),
                "com.github.dockerjava",
                "com.fasterxml.jackson",
                "org.apache.commons.compress",
                "javax.net.ssl");
        var cloud = with(backend, "hermit.json", "hermit.backend.keeper", "hermit.backend.cloud");
        add(
                rooms,
                "hermit.backend.cloud",
                Set.of("hermit.problem", "hermit.exec", "hermit.world", "hermit.backend.keeper"));
        add(rooms, "hermit.backend.e2b", cloud, "java.net.http", "com.fasterxml.jackson");
        add(rooms, "hermit.backend.daytona", cloud, "java.net.http", "com.fasterxml.jackson");
        add(rooms, "hermit.backend.tenki", with(cloud, "hermit.tenki.wire"), "io.grpc", "com.google.protobuf");
        return rooms;
    }

    private static void add(Map<String, Room> rooms, String name, Set<String> mayUse, String... libraries) {
        rooms.put(name, new Room(name, Set.copyOf(mayUse), Set.of(libraries)));
    }

    private static Set<String> with(Set<String> some, String... more) {
        var all = new LinkedHashSet<>(some);
        all.addAll(List.of(more));
        return all;
    }

    static List<Room> roomsThatAreThere() {
        return ROOMS.values().stream()
                .filter(room ->
                        HOUSE.stream().anyMatch(each -> each.getPackageName().equals(room.name)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("roomsThatAreThere")
    void a_room_uses_only_what_its_line_in_the_table_allows(Room room) {
        doors(room).check(HOUSE);
    }

    @Test
    void every_package_has_a_line_in_the_table() {
        Set<String> packages = new TreeSet<>();
        HOUSE.forEach(each -> packages.add(each.getPackageName()));

        assertThat(packages).hasSizeGreaterThan(10).contains("hermit.sandbox", "hermit.sandbox.sql", "hermit.db");
        packages.remove("hermit"); // the composition root and the process may use everything
        assertThat(ROOMS.keySet()).containsAll(packages);
    }

    @Test
    void only_main_touches_the_real_clock_the_environment_and_the_terminal() {
        noRealWorld().check(HOUSE.that(describe("are not Main", each -> !isMain(each))));
    }

    @Test
    void nobody_uses_the_old_classes_for_time() {
        noOldTime().check(HOUSE);
    }

    @Test
    void names_say_what_a_class_is() {
        plainNames().check(HOUSE);
    }

    @Test
    void every_package_says_what_it_is_for() throws IOException {
        Path root = Path.of("src/main/java");
        List<Path> silent = new ArrayList<>();
        int rooms = 0;
        try (Stream<Path> folders = Files.walk(root).filter(Files::isDirectory)) {
            for (Path folder : folders.toList()) {
                if (!holdsJava(folder) || folder.equals(root.resolve("hermit"))) continue;
                rooms++;
                Path info = folder.resolve("package-info.java");
                String text = Files.exists(info) ? Files.readString(info) : "";
                if (!text.startsWith("/// ") || !text.contains("@NullMarked")) silent.add(folder);
            }
        }
        assertThat(silent).isEmpty();
        assertThat(rooms).isGreaterThan(10);
    }

    /// A rule that finds nothing in a class that breaks all of them would find nothing anywhere.
    @Test
    void the_rules_can_fail() {
        JavaClasses offender = new ClassFileImporter().importClasses(Offender.class, Offender.ClockManager.class);

        assertThat(violations(doors(new Room("hermit.houserules", Set.of(), Set.of())), offender))
                .hasSizeGreaterThanOrEqualTo(2)
                .anyMatch(line -> line.contains("hermit.problem.Nearest"))
                .anyMatch(line -> line.contains("java.sql.Connection"));
        assertThat(violations(
                        doors(new Room("hermit.houserules", Set.of("hermit.problem"), Set.of("java.sql"))), offender))
                .isEmpty();
        assertThat(violations(noRealWorld(), offender))
                .anyMatch(line -> line.contains("Instant.now"))
                .anyMatch(line -> line.contains("System.currentTimeMillis"))
                .anyMatch(line -> line.contains("Clock.systemUTC"))
                .anyMatch(line -> line.contains("Thread.sleep"))
                .anyMatch(line -> line.contains("System.getenv"))
                .anyMatch(line -> line.contains("System.out"))
                .hasSize(6);
        assertThat(violations(noOldTime(), offender)).isNotEmpty();
        assertThat(violations(plainNames(), offender)).hasSize(1);
    }

    private static List<String> violations(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }

    private static ArchRule doors(Room room) {
        return classes()
                .that()
                .resideInAPackage(room.name)
                .should()
                .onlyDependOnClassesThat(describe("its line in the table allows", other -> room.lets(element(other))));
    }

    /// A stopwatch (`System.nanoTime`) is not a clock: it measures how long something took and decides nothing
    /// else.
    private static ArchRule noRealWorld() {
        return classes().should(access("not touch the real clock, the environment or the terminal", access -> {
            String owner = access.getTargetOwner().getName();
            String name = access.getTarget().getName();
            return switch (owner) {
                case "java.lang.System" ->
                    Set.of("currentTimeMillis", "getenv", "out", "err", "in", "exit")
                            .contains(name);
                case "java.lang.Thread" -> name.equals("sleep");
                case "java.lang.Runtime" -> Set.of("exit", "halt").contains(name);
                case "java.time.Clock", "java.time.InstantSource" -> name.startsWith("system");
                default -> owner.startsWith("java.time.") && name.equals("now");
            };
        }));
    }

    private static ArchRule noOldTime() {
        return noClasses()
                .should()
                .dependOnClassesThat(describe(
                        "are the old time",
                        each -> Set.of(
                                        "java.util.Date",
                                        "java.util.Calendar",
                                        "java.text.SimpleDateFormat",
                                        "java.sql.Timestamp")
                                .contains(each.getName())));
    }

    private static ArchRule plainNames() {
        return noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl)");
    }

    private static ArchCondition<JavaClass> access(String description, Predicate<JavaAccess<?>> forbidden) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass each, ConditionEvents events) {
                for (JavaAccess<?> access : each.getAccessesFromSelf())
                    if (forbidden.test(access))
                        events.add(SimpleConditionEvent.violated(
                                access,
                                "%s touches %s.%s"
                                        .formatted(
                                                access.getDescription(),
                                                access.getTargetOwner().getSimpleName(),
                                                access.getTarget().getName())));
            }
        };
    }

    private static JavaClass element(JavaClass each) {
        return each.isArray() ? each.getBaseComponentType() : each;
    }

    private static boolean isMain(JavaClass each) {
        return each.getPackageName().equals("hermit") && outermost(each).equals("Main");
    }

    private static String outermost(JavaClass each) {
        return Optional.of(each.getName().substring(each.getPackageName().length() + 1))
                .map(name -> name.replaceFirst("\\$.*", ""))
                .orElseThrow();
    }

    private static boolean holdsJava(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(each -> each.toString().endsWith(".java"));
        }
    }
}
