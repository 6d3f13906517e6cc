package hermit.turn.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.SESSIONS;
import static hermit.db.generated.Tables.TURNS;

import hermit.agent.AgentId;
import hermit.db.Jsonb;
import hermit.db.generated.tables.records.TurnStepsRecord;
import hermit.exec.Uuids;
import hermit.identity.UserId;
import hermit.problem.Documents;
import hermit.session.Author;
import hermit.session.SessionId;
import hermit.turn.CallResult;
import hermit.turn.Step;
import hermit.turn.Turn;
import hermit.turn.TurnId;
import hermit.turn.Usage;
import hermit.turn.WantedCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.SelectOnConditionStep;

/// Turns and steps as columns, and back. Lists stand in an object, under the name `items`.
final class TurnRows {
    private static final String ITEMS = "items";

    private TurnRows() {}

    /// With the agent of their session.
    static SelectOnConditionStep<Record> select(DSLContext sql) {
        return sql.select(TURNS.fields())
                .select(AGENTS.UID, AGENTS.ID)
                .from(TURNS)
                .join(SESSIONS)
                .on(SESSIONS.ID.eq(TURNS.SESSION_ID))
                .join(AGENTS)
                .on(AGENTS.UID.eq(SESSIONS.AGENT_UID));
    }

    static Turn turn(Record row) {
        UUID agent = row.get(AGENTS.UID);
        return new Turn(
                new TurnId(row.get(TURNS.ID)),
                agent,
                new AgentId(row.get(AGENTS.ID)),
                new SessionId(row.get(TURNS.SESSION_ID)),
                row.get(TURNS.MESSAGE_SEQ),
                Author.of(
                        row.get(TURNS.AUTHOR_KIND),
                        Optional.ofNullable(row.get(TURNS.USER_ID)).map(UserId::new),
                        agent),
                Turn.State.valueOf(row.get(TURNS.STATE).toUpperCase(Locale.ROOT)),
                row.get(TURNS.STEPS),
                new Usage(row.get(TURNS.INPUT_TOKENS), row.get(TURNS.OUTPUT_TOKENS)),
                row.get(TURNS.CREATED_AT),
                Optional.ofNullable(row.get(TURNS.STARTED_AT)),
                end(row));
    }

    /// Also of a message without a turn, whose columns are all null.
    static Optional<Turn.End> end(Record row) {
        return Optional.ofNullable(row.get(TURNS.ENDED_AT))
                .map(at -> new Turn.End(
                        at,
                        Turn.Reason.valueOf(row.get(TURNS.END_REASON).toUpperCase(Locale.ROOT)),
                        Optional.ofNullable(row.get(TURNS.DETAIL))));
    }

    static Step step(TurnStepsRecord row) {
        return new Step(
                row.getStep(),
                row.getText(),
                items(row.getCalls()).stream().map(TurnRows::call).toList(),
                items(row.getResults()).stream().map(TurnRows::result).toList());
    }

    static JSONB calls(List<WantedCall> calls) {
        return items(calls.stream().map(TurnRows::write).toList());
    }

    static JSONB results(List<CallResult> results) {
        return items(results.stream().map(TurnRows::write).toList());
    }

    private static Map<String, Object> write(WantedCall call) {
        var document = new LinkedHashMap<String, Object>();
        document.put("id", call.id().toString());
        document.put("exec", call.exec().toString());
        document.put("tool", call.tool());
        document.put("arguments", call.arguments());
        call.unreadable().ifPresent(text -> document.put("unreadable", text));
        return document;
    }

    private static WantedCall call(Map<String, Object> document) {
        return new WantedCall(
                id(document, "id"),
                id(document, "exec"),
                String.valueOf(document.get("tool")),
                object(document, "arguments"),
                Optional.ofNullable(document.get("unreadable")).map(String::valueOf));
    }

    private static Map<String, Object> write(CallResult result) {
        return Map.of(
                "call", result.call().toString(),
                "tool", result.tool(),
                "document", result.document(),
                "failed", result.failed());
    }

    private static CallResult result(Map<String, Object> document) {
        return new CallResult(
                id(document, "call"),
                String.valueOf(document.get("tool")),
                object(document, "document"),
                Boolean.TRUE.equals(document.get("failed")));
    }

    private static JSONB items(List<Map<String, Object>> items) {
        return Jsonb.withoutNul(Map.of(ITEMS, items));
    }

    private static List<Map<String, Object>> items(JSONB column) {
        var items = new ArrayList<Map<String, Object>>();
        if (Jsonb.object(column).get(ITEMS) instanceof List<?> list)
            for (Object each : list) if (each instanceof Map<?, ?> map) items.add(copy(map));
        return items;
    }

    private static Map<String, Object> object(Map<String, Object> document, String key) {
        return document.get(key) instanceof Map<?, ?> map ? copy(map) : Map.of();
    }

    private static Map<String, Object> copy(Map<?, ?> map) {
        var copy = new LinkedHashMap<String, Object>();
        map.forEach((key, value) -> copy.put(String.valueOf(key), value));
        return Documents.copyOf(copy);
    }

    private static UUID id(Map<String, Object> document, String key) {
        return Uuids.parse(String.valueOf(document.get(key)))
                .orElseThrow(() -> new IllegalStateException("a stored step has no " + key));
    }
}
