package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.api.AddMember;
import hermit.api.Agent;
import hermit.api.ApiJson;
import hermit.api.Approval;
import hermit.api.ApprovalRule;
import hermit.api.AuditEnd;
import hermit.api.AuditRecord;
import hermit.api.AuditVerification;
import hermit.api.CancelledSession;
import hermit.api.ChangeMember;
import hermit.api.CreateAgent;
import hermit.api.CreateUser;
import hermit.api.DecideApproval;
import hermit.api.ExecNotice;
import hermit.api.ExecOutput;
import hermit.api.ExecResult;
import hermit.api.ExecResync;
import hermit.api.ExecSummary;
import hermit.api.FileEntry;
import hermit.api.Health;
import hermit.api.Identity;
import hermit.api.IssueTicket;
import hermit.api.IssueToken;
import hermit.api.IssuedToken;
import hermit.api.Leftover;
import hermit.api.Leftovers;
import hermit.api.LogIn;
import hermit.api.MakeDirectory;
import hermit.api.Me;
import hermit.api.Member;
import hermit.api.MergeUser;
import hermit.api.Models;
import hermit.api.MoveFile;
import hermit.api.OpenSession;
import hermit.api.OpenTerminal;
import hermit.api.OwnRole;
import hermit.api.Page;
import hermit.api.PatchSandbox;
import hermit.api.PostMessage;
import hermit.api.Problem;
import hermit.api.PutSecurity;
import hermit.api.Readiness;
import hermit.api.Sandbox;
import hermit.api.SandboxAction;
import hermit.api.SandboxPresets;
import hermit.api.Security;
import hermit.api.SendSignal;
import hermit.api.Session;
import hermit.api.SessionEvent;
import hermit.api.Skill;
import hermit.api.SkillScan;
import hermit.api.StartExec;
import hermit.api.Terminal;
import hermit.api.Ticket;
import hermit.api.Token;
import hermit.api.TokenUsage;
import hermit.api.ToolAnswer;
import hermit.api.Turn;
import hermit.api.Unpacked;
import hermit.api.User;
import hermit.api.WriteStdin;
import hermit.config.ModelSettings;
import hermit.db.TestDatabase;
import hermit.exec.Capability;
import hermit.http.Method;
import hermit.http.Route;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import hermit.problem.ProblemCode;
import hermit.session.http.SessionMethods;
import hermit.turn.ModelServer;
import hermit.ui.UiRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The description of the API against the API itself, in both directions.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class OpenApiTest {
    private static final Map<String, Class<? extends Record>> RECORDS = Map.ofEntries(
            Map.entry("Problem", Problem.class),
            Map.entry("FieldError", Problem.FieldError.class),
            Map.entry("Agent", Agent.class),
            Map.entry("CreateAgent", CreateAgent.class),
            Map.entry("Security", Security.class),
            Map.entry("PutSecurity", PutSecurity.class),
            Map.entry("SandboxPresets", SandboxPresets.class),
            Map.entry("Preset", SandboxPresets.Preset.class),
            Map.entry("Sandbox", Sandbox.class),
            Map.entry("EffectiveLifecycle", Sandbox.Lifecycle.class),
            Map.entry("LifecycleOrigin", Sandbox.Lifecycle.Origin.class),
            Map.entry("Runtime", Sandbox.Observed.class),
            Map.entry("PatchSandbox", PatchSandbox.class),
            Map.entry("SandboxAction", SandboxAction.class),
            Map.entry("SkillPage", Page.class),
            Map.entry("Skill", Skill.class),
            Map.entry("SkillScan", SkillScan.class),
            Map.entry("RefusedSkill", SkillScan.Refused.class),
            Map.entry("Leftovers", Leftovers.class),
            Map.entry("Leftover", Leftover.class),
            Map.entry("UnreachableProvider", Leftovers.Unreachable.class),
            Map.entry("StartExec", StartExec.class),
            Map.entry("ExecSummary", ExecSummary.class),
            Map.entry("ExecFailure", ExecSummary.Failure.class),
            Map.entry("ExecResult", ExecResult.class),
            Map.entry("ExecOutput", ExecOutput.class),
            Map.entry("ExecNotice", ExecNotice.class),
            Map.entry("ExecResync", ExecResync.class),
            Map.entry("WriteStdin", WriteStdin.class),
            Map.entry("SendSignal", SendSignal.class),
            Map.entry("OpenTerminal", OpenTerminal.class),
            Map.entry("Terminal", Terminal.class),
            Map.entry("TerminalPage", Page.class),
            Map.entry("AddMember", AddMember.class),
            Map.entry("ChangeMember", ChangeMember.class),
            Map.entry("CreateUser", CreateUser.class),
            Map.entry("Identity", Identity.class),
            Map.entry("IssueTicket", IssueTicket.class),
            Map.entry("IssueToken", IssueToken.class),
            Map.entry("IssuedToken", IssuedToken.class),
            Map.entry("LogIn", LogIn.class),
            Map.entry("Me", Me.class),
            Map.entry("Member", Member.class),
            Map.entry("OwnRole", OwnRole.class),
            Map.entry("MergeUser", MergeUser.class),
            Map.entry("Ticket", Ticket.class),
            Map.entry("Token", Token.class),
            Map.entry("User", User.class),
            Map.entry("MemberPage", Page.class),
            Map.entry("UserPage", Page.class),
            Map.entry("TokenPage", Page.class),
            Map.entry("AuditRecord", AuditRecord.class),
            Map.entry("AuditEnd", AuditEnd.class),
            Map.entry("AuditVerification", AuditVerification.class),
            Map.entry("VerifiedChain", AuditVerification.Chain.class),
            Map.entry("AuditPage", Page.class),
            Map.entry("Health", Health.class),
            Map.entry("Readiness", Readiness.class),
            Map.entry("ReadinessPart", Readiness.Part.class),
            Map.entry("AgentPage", Page.class),
            Map.entry("SandboxPage", Page.class),
            Map.entry("ExecPage", Page.class),
            Map.entry("FileEntry", FileEntry.class),
            Map.entry("FilePage", Page.class),
            Map.entry("Session", Session.class),
            Map.entry("OpenSession", OpenSession.class),
            Map.entry("SessionSource", OpenSession.Source.class),
            Map.entry("Sender", Identity.class),
            Map.entry("SessionEvent", SessionEvent.class),
            Map.entry("PostMessage", PostMessage.class),
            Map.entry("CancelledSession", CancelledSession.class),
            Map.entry("Turn", Turn.class),
            Map.entry("TokenUsage", TokenUsage.class),
            Map.entry("Models", Models.class),
            Map.entry("Model", Models.Model.class),
            Map.entry("ToolAnswer", ToolAnswer.class),
            Map.entry("Approval", Approval.class),
            Map.entry("DecideApproval", DecideApproval.class),
            Map.entry("ApprovalRule", ApprovalRule.class),
            Map.entry("SessionPage", Page.class),
            Map.entry("SessionEventPage", Page.class),
            Map.entry("ApprovalPage", Page.class),
            Map.entry("ApprovalRulePage", Page.class),
            Map.entry("Unpacked", Unpacked.class),
            Map.entry("RefusedEntry", Unpacked.Refused.class),
            Map.entry("MakeDirectory", MakeDirectory.class),
            Map.entry("MoveFile", MoveFile.class));

    /// Documents that the gateway gives back as they came, and bodies of which a part is left out.
    private static final Set<String> WITHOUT_RECORD =
            Set.of("AgentConfig", "Lifecycle", "NewSecurity", "AddSandbox", "ToolArguments", "McpMessage");

    private final ModelServer model = new ModelServer();
    private final TestGateway gateway = TestGateway.with(
            TestDatabase.SQLITE,
            Map.of(
                    "gpt",
                    new ModelSettings(
                            ModelSettings.Provider.OPENAI_COMPATIBLE,
                            Optional.of(model.url()),
                            "m",
                            Optional.empty(),
                            Optional.empty(),
                            2_000,
                            128_000,
                            Optional.empty())));
    private final TestClient client = gateway.client;
    private final JsonMapper strict = ApiJson.mapper()
            .rebuild()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private JsonNode api = strict.createObjectNode();
    private String execId = "";
    private String ada = "";
    private String bob = "";
    private String secret = "";
    private String tokenId = "";
    private String session = "";
    private String approvalId = "";

    @BeforeEach
    void read() throws Exception {
        api = strict.readTree(client.get("/openapi.json").text());
        client.post("/api/agents", Map.of("id", "main"));
        client.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", "unused"));
        execId = String.valueOf(
                client.post("/api/agents/main/sandboxes/default/execs", Map.of("command", "hang", "background", true))
                        .object()
                        .get("exec_id"));
        ada = id(client.post("/api/users", Map.of("name", "Ada")));
        bob = id(client.post("/api/users", Map.of("name", "Bob")));
        var issued = client.post("/api/tokens", Map.of("name", "laptop", "user_id", ada));
        tokenId = id(issued);
        secret = String.valueOf(issued.object().get("secret"));
        client.post("/api/agents/main/members", Map.of("user_id", ada, "role", "guest"));
        session = client.post("/api/agents/main/sessions", Map.of()).header("Location");
        approvalId = ask();
    }

    private String ask() {
        return String.valueOf(client.post(session + "/tools/exec", Map.of("command", "echo"))
                .object()
                .get("approval_id"));
    }

    @AfterEach
    void close() {
        model.close();
        gateway.close();
    }

    @Test
    void it_has_every_route_and_no_other() {
        assertThat(operations().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        routes().stream().map(Route::toString).toList());
    }

    @Test
    void it_has_every_parameter_and_no_other() {
        for (Route route : routes()) {
            var query = new TreeSet<String>();
            var path = new TreeSet<String>();
            for (JsonNode parameter : parameters(route)) {
                if (parameter.at("/in").asText().equals("query"))
                    query.add(parameter.at("/name").asText());
                if (parameter.at("/in").asText().equals("path"))
                    path.add("{" + parameter.at("/name").asText() + "}");
            }
            assertThat(query).as(route.toString()).isEqualTo(new TreeSet<>(route.query()));
            assertThat(path)
                    .as(route.toString())
                    .isEqualTo(new TreeSet<>(Arrays.stream(route.path().split("/", -1))
                            .filter(each -> each.startsWith("{"))
                            .toList()));
        }
    }

    @Test
    void it_says_which_routes_take_a_body_and_which_stream() {
        for (Route route : routes()) {
            JsonNode operation = operation(route);
            assertThat(operation.has("requestBody")).as(route.toString()).isEqualTo(route.bodyLimit() != 0);
            assertThat(operation.toString().contains("text/event-stream"))
                    .as(route.toString())
                    .isEqualTo(route.streaming() != Route.Streaming.NEVER && route.method() != Method.WS);
        }
    }

    @Test
    void it_says_which_route_each_method_of_json_rpc_calls() {
        var written = new LinkedHashMap<String, String>();
        api.at("/paths/~1api~1agents~1{id}~1ws/x-websocket/x-json-rpc")
                .properties()
                .forEach(each -> written.put(each.getKey(), each.getValue().asText()));
        var methods = new LinkedHashMap<String, String>();
        SessionMethods.ALL.forEach(each -> methods.put(each.name(), each.route()));
        assertThat(written).isEqualTo(methods);
    }

    @Test
    void it_knows_every_code_and_every_capability() {
        var codes = new ArrayList<String>();
        api.at("/components/schemas/Problem/properties/code/enum").forEach(each -> codes.add(each.asText()));
        assertThat(codes)
                .containsExactlyElementsOf(Arrays.stream(ProblemCode.values())
                        .map(ProblemCode::wire)
                        .toList());
        var capabilities = new ArrayList<String>();
        api.at("/components/schemas/Sandbox/properties/capabilities/items/enum")
                .forEach(each -> capabilities.add(each.asText()));
        assertThat(capabilities)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Capability.values()).map(Object::toString).toList());
        for (JsonNode response : api.at("/components/responses")) {
            JsonNode example = response.at("/content/application~1problem+json/example");
            var code = ProblemCode.valueOf(example.at("/code").asText().toUpperCase(Locale.ROOT));
            assertThat(example.at("/title").asText()).isEqualTo(code.title());
            assertThat(example.at("/type").asText()).isEqualTo("urn:hermit:problem:" + code.wire());
        }
    }

    @Test
    void its_schemas_have_the_fields_of_the_records() {
        var names = new HashSet<String>();
        api.at("/components/schemas").fieldNames().forEachRemaining(names::add);
        var known = new HashSet<>(RECORDS.keySet());
        known.addAll(WITHOUT_RECORD);
        assertThat(names).isEqualTo(known);
        RECORDS.forEach((name, type) -> {
            var properties = new TreeSet<String>();
            api.at("/components/schemas/" + name + "/properties").fieldNames().forEachRemaining(properties::add);
            assertThat(properties).as(name).isEqualTo(new TreeSet<>(fields(type)));
        });
    }

    @Test
    void its_examples_of_answers_are_records_with_all_their_fields() throws Exception {
        for (JsonNode content : all("content")) {
            JsonNode json = content.has("application/json")
                    ? content.get("application/json")
                    : content.path("application/problem+json");
            if (!json.has("example")) continue;
            String schema = json.at("/schema/$ref").asText().replaceAll(".*/", "");
            if (WITHOUT_RECORD.contains(schema)) continue;
            var fields = new TreeSet<String>();
            json.get("example").fieldNames().forEachRemaining(fields::add);
            Class<? extends Record> type = RECORDS.getOrDefault(schema, Problem.class);
            assertThat(fields).as(schema).isEqualTo(new TreeSet<>(fields(type)));
            assertThat(strict.treeToValue(json.get("example"), type)).as(schema).isNotNull();
        }
    }

    @Test
    void its_examples_of_requests_are_taken_by_the_gateway() {
        int sent = 0;
        for (Route route : routes()) {
            JsonNode operation = operation(route);
            for (JsonNode example : operation.at("/requestBody/content/application~1json/examples")) {
                // A sandbox in use keeps its config.
                String path = route.method() == Method.PATCH ? path(route).replace("default", "unused") : path(route);
                var answer = client.send(
                        route.method().name(), path, real(example.get("value").toString()));
                assertThat(answer.status())
                        .as(route + " " + example + "\n" + answer.text())
                        .isBetween(200, 204);
                assertThat(operation.at("/responses/" + answer.status()).isMissingNode())
                        .isFalse();
                sent++;
            }
        }
        assertThat(sent).isGreaterThan(15);
    }

    @Test
    void every_success_that_it_promises_is_really_answered_and_every_answer_is_promised() {
        var promised = new TreeSet<String>();
        for (Route route : routes())
            operation(route).get("responses").fieldNames().forEachRemaining(status -> {
                if (status.startsWith("2")) promised.add(route + " " + status);
            });
        assertThat(new TreeSet<>(visits().keySet())).isEqualTo(promised);
    }

    @Test
    void every_reference_leads_somewhere() {
        for (JsonNode reference : all("$ref"))
            assertThat(api.at(reference.asText().substring(1)).isMissingNode())
                    .as(reference.asText())
                    .isFalse();
    }

    private void visitSkills(Map<String, Answer> visits) {
        try {
            Path folder = Files.createDirectories(gateway.skillsFolder.resolve("pdf"));
            Files.writeString(folder.resolve("SKILL.md"), "---\nname: pdf\ndescription: Reads PDF files.\n---\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        visit(visits, "POST /api/skills/scan", client.send("POST", "/api/skills/scan", ""));
        visit(visits, "GET /api/skills", client.get("/api/skills"));
        visit(visits, "GET /api/agents/{id}/skills", client.get("/api/agents/main/skills"));
        for (String where : List.of("/api/skills", "/api/agents/main/skills"))
            for (String verb : List.of("enable", "disable"))
                visit(
                        visits,
                        "POST " + where.replace("main", "{id}") + "/{skill}/" + verb,
                        client.send("POST", where + "/pdf/" + verb, ""));
    }

    /// Calls each route so that it succeeds in each way that it can; the last call of a kind stands.
    private Map<String, Answer> visits() {
        String agent = "/api/agents/main";
        String sandbox = agent + "/sandboxes/default";
        String exec = sandbox + "/execs/" + execId;
        var visits = new LinkedHashMap<String, Answer>();
        visit(visits, "GET /health", client.get("/health"));
        visit(visits, "GET /ready", client.get("/ready"));
        visit(visits, "GET /metrics", client.get("/metrics"));
        visit(visits, "GET /openapi.json", client.get("/openapi.json"));
        visit(visits, "POST /api/agents", client.post("/api/agents", Map.of("id", "other")));
        visit(visits, "GET /api/agents", client.get("/api/agents"));
        visit(visits, "GET /api/agents/{id}", client.get(agent));
        visit(visits, "GET /api/agents/{id}/config", client.get(agent + "/config"));
        visit(visits, "PUT /api/agents/{id}/config", client.put(agent + "/config", Map.of("model", "gpt")));
        visit(visits, "GET /api/models", client.get("/api/models"));
        visit(visits, "GET /api/agents/{id}/security", client.get(agent + "/security"));
        var policy = Map.of("access", "private", "autonomy_level", "full", "require_approval_for", List.of());
        visit(visits, "PUT /api/agents/{id}/security", client.put(agent + "/security", policy));
        visit(visits, "GET /api/sandbox-presets", client.get("/api/sandbox-presets"));
        visit(visits, "GET /api/sandboxes", client.get("/api/sandboxes"));
        visit(visits, "GET /api/sandboxes/leftovers", client.get("/api/sandboxes/leftovers"));
        var stray = new UUID(7, 7);
        gateway.e2b.addUnknown(stray, "stray");
        visit(
                visits,
                "POST /api/sandboxes/{uuid}/reclaim",
                client.send("POST", "/api/sandboxes/%s/reclaim".formatted(stray), ""));
        visitSkills(visits);
        String all = "/api/agents/{id}/sandboxes";
        visit(visits, "GET " + all, client.get(agent + "/sandboxes"));
        var another = Map.of("type", "docker", "alias", "another");
        visit(visits, "POST " + all, client.post(agent + "/sandboxes", another));
        visit(visits, "GET " + all + "/{alias}", client.get(sandbox));
        visit(visits, "POST " + all + "/{alias}/start", client.send("POST", sandbox + "/start", ""));
        String execs = all + "/{alias}/execs";
        visit(visits, "GET " + execs, client.get(sandbox + "/execs"));
        visit(visits, "POST " + execs, client.post(sandbox + "/execs", Map.of("command", "true")));
        var background = Map.of("command", "true", "background", true);
        visit(visits, "POST " + execs, client.post(sandbox + "/execs", background));
        visit(visits, "GET " + execs + "/{exec_id}", client.get(exec));
        visit(visits, "POST " + execs + "/{exec_id}/stdin", client.post(exec + "/stdin", Map.of("data", "x")));
        visit(visits, "DELETE " + execs + "/{exec_id}", client.delete(exec));
        client.get(exec + "?wait_ms=60000");
        visit(visits, "DELETE " + execs + "/{exec_id}", client.delete(exec));
        visit(visits, "GET " + execs + "/{exec_id}/events", client.get(exec + "/events"));
        String second = client.post(sandbox + "/execs", Map.of("command", "hang", "background", true))
                .header("Location");
        visit(visits, "POST " + execs + "/{exec_id}/signal", client.post(second + "/signal", Map.of("signal", 15)));
        client.get(second + "?wait_ms=60000");
        String terminals = all + "/{alias}/terminals";
        var opened = client.post(sandbox + "/terminals", Map.of());
        visit(visits, "POST " + terminals, opened);
        visit(visits, "GET " + terminals, client.get(sandbox + "/terminals"));
        visit(visits, "GET " + terminals + "/{tid}", client.get(opened.header("Location")));
        visit(visits, "DELETE " + terminals + "/{tid}", client.delete(opened.header("Location")));
        client.get(sandbox + "/execs/" + opened.object().get("id") + "?wait_ms=60000");
        visit(visits, "DELETE " + terminals + "/{tid}", client.delete(opened.header("Location")));
        visitFiles(visits, all + "/{alias}/files", sandbox + "/files");
        visitSessions(visits);
        visitMcp(visits);
        visit(visits, "POST " + all + "/{alias}/stop", client.send("POST", sandbox + "/stop?force=true", ""));
        visit(visits, "PATCH " + all + "/{alias}", client.patch(sandbox, Map.of("config", Map.of())));
        visit(visits, "DELETE " + all + "/{alias}", client.delete(sandbox));
        visitPeople(visits);
        visit(visits, "GET /api/audit", client.get("/api/audit"));
        visit(visits, "GET /api/audit/export", client.get("/api/audit/export"));
        visit(visits, "GET /api/audit/verify", client.get("/api/audit/verify"));
        visit(visits, "GET /api/agents/{id}/audit", client.get(agent + "/audit"));
        visit(visits, "DELETE /api/agents/{id}", client.delete(agent));
        return visits;
    }

    private void visitFiles(Map<String, Answer> visits, String route, String files) {
        String file = files + "?path=a";
        for (int i = 0; i < 2; i++)
            visit(visits, "PUT " + route, client.send(client.request(file).PUT(BodyPublishers.ofString("abc"))));
        visit(visits, "GET " + route, client.get(file));
        visit(visits, "GET " + route, client.send(client.request(file).header("Range", "bytes=1-")));
        visit(visits, "GET " + route + "/list", client.get(files + "/list?path=/root"));
        visit(visits, "GET " + route + "/stat", client.get(files + "/stat?path=a"));
        visit(visits, "GET " + route + "/archive", client.get(files + "/archive?path=a"));
        var empty = BodyPublishers.ofByteArray(new byte[1024]);
        var archive = client.request(files + "/archive?path=/root").PUT(empty);
        visit(visits, "PUT " + route + "/archive", client.send(archive));
        visit(visits, "POST " + route + "/mkdir", client.post(files + "/mkdir", Map.of("path", "d")));
        visit(visits, "POST " + route + "/move", client.post(files + "/move", Map.of("from", "a", "to", "b")));
        visit(visits, "DELETE " + route, client.delete(files + "?path=b"));
    }

    private void visitPeople(Map<String, Answer> visits) {
        String members = "/api/agents/main/members";
        visit(visits, "GET /api/agents/{id}/me", client.get("/api/agents/main/me"));
        visit(visits, "GET /api/agents/{id}/members", client.get(members));
        visit(visits, "POST /api/agents/{id}/members", client.post(members, Map.of("user_id", bob, "role", "user")));
        String member = "/api/agents/{id}/members/{user_id}";
        visit(visits, "PUT " + member, client.put(members + "/" + bob, Map.of("role", "guest")));
        visit(visits, "DELETE " + member, client.delete(members + "/" + bob));
        visit(visits, "GET /api/users", client.get("/api/users"));
        var carol = client.post("/api/users", Map.of("name", "Carol"));
        visit(visits, "POST /api/users", carol);
        visit(visits, "GET /api/users/{user_id}", client.get("/api/users/" + ada));
        String identities = "/api/users/" + ada + "/identities";
        var identity = Map.of("channel", "telegram", "channel_user_id", "1");
        visit(visits, "POST /api/users/{user_id}/identities", client.post(identities, identity));
        visit(
                visits,
                "DELETE /api/users/{user_id}/identities",
                client.delete(identities + "?channel=telegram&channel_user_id=1"));
        var into = Map.of("into", ada);
        visit(visits, "POST /api/users/{user_id}/merge", client.post("/api/users/" + bob + "/merge", into));
        visit(visits, "DELETE /api/users/{user_id}", client.delete("/api/users/" + id(carol)));
        visit(visits, "GET /api/tokens", client.get("/api/tokens"));
        visit(visits, "POST /api/tokens", client.post("/api/tokens", Map.of("name", "x", "user_id", ada)));
        visit(visits, "POST /api/auth/login", client.post("/api/auth/login", Map.of("token", secret)));
        visit(visits, "POST /api/auth/logout", client.send("POST", "/api/auth/logout", ""));
        visit(visits, "POST /api/auth/ticket", client.post("/api/auth/ticket", Map.of("path", "/api/events")));
        visit(visits, "GET /api/me", client.get("/api/me"));
        visit(visits, "DELETE /api/tokens/{token_id}", client.delete("/api/tokens/" + tokenId));
    }

    private void visitSessions(Map<String, Answer> visits) {
        String all = "/api/agents/{id}/sessions";
        String one = all + "/{sid}";
        String sessions = "/api/agents/main/sessions";
        String id = session.substring(session.lastIndexOf('/') + 1);
        visit(visits, "GET " + all, client.get(sessions));
        visit(visits, "POST " + all, client.post(sessions, Map.of()));
        visit(visits, "POST " + all, client.post(sessions, Map.of("session_id", id)));
        visit(visits, "GET " + one, client.get(session));
        visit(visits, "POST " + one + "/messages", client.post(session + "/messages", Map.of("text", "hello")));
        visit(
                visits,
                "POST " + one + "/messages",
                client.post(session + "/messages", Map.of("text", "a", "wait", true)));
        var later = new CountDownLatch(1);
        model.script(new ModelServer.Say.Hold(List.of("later"), later));
        Answer early = client.post(session + "/messages", Map.of("text", "b", "wait_ms", 1));
        visit(visits, "POST " + one + "/messages", early);
        later.countDown();
        visit(visits, "GET " + one + "/turns/{turn_id}", client.get(early.header("Location") + "?wait_ms=60000"));
        visit(visits, "GET " + one + "/messages", client.get(session + "/messages"));
        String tool = one + "/tools/{tool}";
        visit(visits, "POST " + tool, client.post(session + "/tools/list_files", Map.of("path", "/root")));
        var supervised =
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec"));
        client.put("/api/agents/main/security", supervised);
        visit(visits, "POST " + tool, client.post(session + "/tools/exec", Map.of("command", "echo")));

        String approval = "/api/approvals/" + approvalId;
        visit(visits, "GET /api/approvals", client.get("/api/approvals"));
        visit(visits, "GET /api/agents/{id}/approvals", client.get("/api/agents/main/approvals"));
        visit(visits, "GET /api/approvals/{approval_id}", client.get(approval));
        visit(
                visits,
                "POST /api/approvals/{approval_id}/decision",
                client.post(approval + "/decision", Map.of("decision", "approve", "remember", "always")));
        var rules = client.get("/api/approval-rules");
        visit(visits, "GET /api/approval-rules", rules);
        var rule = rules.items().getFirst().get("id");
        visit(visits, "DELETE /api/approval-rules/{rule_id}", client.delete("/api/approval-rules/" + rule));

        visit(visits, "POST " + one + "/cancel", client.send("POST", session + "/cancel", ""));
        visit(visits, "GET " + one + "/events", opened(session + "/events"));
        visit(visits, "GET /api/approvals/events", opened("/api/approvals/events"));
        visit(visits, "POST " + one + "/end", client.send("POST", session + "/end", ""));
        visit(visits, "DELETE " + one, client.delete(session));
    }

    private void visitMcp(Map<String, Answer> visits) {
        String route = "/api/agents/{id}/mcp";
        var params = Map.of("protocolVersion", "2025-06-18", "clientInfo", Map.of("name", "test", "version", "1"));
        var opened = client.post(
                "/api/agents/main/mcp", Map.of("jsonrpc", "2.0", "id", 1, "method", "initialize", "params", params));
        visit(visits, "POST " + route, opened);
        var request = client.request("/api/agents/main/mcp")
                .header("Mcp-Session-Id", opened.header("Mcp-Session-Id"))
                .header("Content-Type", "application/json");
        var said = BodyPublishers.ofString("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}");
        visit(visits, "POST " + route, client.send(request.copy().POST(said)));
        visit(visits, "GET " + route, opened(request.copy().GET()));
        visit(visits, "DELETE " + route, client.send(request.copy().DELETE()));
    }

    /// A stream that never ends by itself: only how it begins.
    private Answer opened(String path) {
        return opened(client.request(path));
    }

    private Answer opened(HttpRequest.Builder request) {
        try (var _ = TestEvents.open(request.build())) {
            return new Answer(200, Map.of(), "", strict);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void visit(Map<String, Answer> visits, String route, Answer answer) {
        visits.put(route + " " + answer.status(), answer);
    }

    private String path(Route route) {
        return route.path()
                .replace("{id}", "main")
                .replace("{alias}", "default")
                .replace("{exec_id}", execId)
                .replace("{sid}", session.substring(session.lastIndexOf('/') + 1))
                .replace("{tool}", "exec")
                .replace("{approval_id}", approvalId)
                .replace("{user_id}", ada)
                .replace("{token_id}", tokenId);
    }

    /// An example with a person and a secret that are there.
    private String real(String example) {
        return example.replace("0190d5e0-7c1a-7c3e-9d54-2f6c1d0a4c02", bob)
                .replaceAll("hut_[A-Za-z0-9_-]{43,}", secret);
    }

    private static String id(Answer answer) {
        return String.valueOf(answer.object().get("id"));
    }

    private List<Route> routes() {
        return gateway.routes().stream()
                .filter(each -> !(each instanceof UiRoutes)) // pages are for people
                .flatMap(each -> each.routes().stream())
                .toList();
    }

    private Map<String, JsonNode> operations() {
        var operations = new LinkedHashMap<String, JsonNode>();
        api.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(each -> {
                    // OpenAPI has no word for a WebSocket.
                    String method = each.getKey().equals("x-websocket") ? "WS" : each.getKey();
                    if (!each.getKey().equals("parameters"))
                        operations.put(method.toUpperCase(Locale.ROOT) + " " + path.getKey(), each.getValue());
                }));
        return operations;
    }

    private JsonNode operation(Route route) {
        return operations().getOrDefault(route.toString(), strict.createObjectNode());
    }

    private List<JsonNode> parameters(Route route) {
        JsonNode ofPath = api.get("paths").path(route.path()).path("parameters");
        return Stream.of(ofPath, operation(route).path("parameters"))
                .flatMap(each -> each.valueStream())
                .map(each -> each.has("$ref") ? api.at(each.get("$ref").asText().substring(1)) : each)
                .toList();
    }

    private List<JsonNode> all(String key) {
        return api.findValues(key);
    }

    private static List<String> fields(Class<?> type) {
        var names = new ArrayList<String>();
        for (RecordComponent component : type.getRecordComponents()) {
            boolean unwrapped = component.getAccessor().isAnnotationPresent(JsonUnwrapped.class);
            if (unwrapped) names.addAll(fields(component.getType()));
            else if (component.getAccessor().isAnnotationPresent(JsonProperty.class))
                names.add(component
                        .getAccessor()
                        .getAnnotation(JsonProperty.class)
                        .value());
            else names.add(new SnakeCaseStrategy().translate(component.getName()));
        }
        return names;
    }
}
