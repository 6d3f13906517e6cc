package hermit.db;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jooq.Converter;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/// A statement that is always the same but for its values, and runs for each request or command: to put it together
/// and have it parsed takes several times longer than to run it. On SQLite each connection does so once.
///
/// ```java
/// private static final Repeated<ResultQuery<AgentsRecord>> FIND = new Repeated<>((sql, value) ->
///         sql.selectFrom(AGENTS).where(AGENTS.ID.eq(value.of(AGENTS.ID))));
///
/// FIND.on(sql, id).fetchOptional()
/// ```
///
/// Belongs into a static field: what is kept for it is kept as long as the connection.
public final class Repeated<Q extends Query> {
    private final BiFunction<DSLContext, Values, Q> build;

    public Repeated(BiFunction<DSLContext, Values, Q> build) {
        this.build = build;
    }

    /// Stands for the values while the statement is put together. Each call is a place for one, in the order in which
    /// [#on] takes them.
    public static final class Values {
        private final List<Place> places = new ArrayList<>();

        private Values() {}

        /// A value as the field has them.
        public <T> Field<T> of(Field<T> field) {
            var place = new Place();
            places.add(place);
            return place.in(field);
        }

        /// One for each of the fields, in their order.
        public Map<Field<?>, Field<?>> ofEach(Field<?>... fields) {
            var values = new LinkedHashMap<Field<?>, Field<?>>();
            for (Field<?> field : fields) values.put(field, of(field));
            return values;
        }
    }

    /// Where a value stands. To jOOQ it is itself the value, which never changes; what it holds is looked at whenever
    /// the statement runs.
    private static final class Place {
        private @Nullable Object held;

        @SuppressWarnings("unchecked")
        <T> Field<T> in(Field<T> field) {
            Converter<T, Place> converter =
                    Converter.of(field.getType(), Place.class, _ -> this, place -> (T) place.held);
            // In the statement it is what it holds.
            return (Field<T>) (Field<?>) DSL.val(this, field.getDataType().asConvertedDataType(converter));
        }
    }

    private record Built<Q>(Q query, List<Place> places) {}

    /// The statement with these values, to be run at once and before it is asked for again. A value is null where the
    /// column may be.
    public Q on(DSLContext sql, @Nullable Object... values) {
        Built<Q> built = built(sql);
        if (values.length != built.places.size())
            throw new IllegalArgumentException("%d values for %d places".formatted(values.length, built.places.size()));
        for (int i = 0; i < values.length; i++) built.places.get(i).held = values[i];
        return built.query;
    }

    @SuppressWarnings("unchecked")
    private Built<Q> built(DSLContext sql) {
        Optional<Map<Repeated<?>, Object>> kept = Statements.of(sql);
        return kept.isEmpty()
                ? build(sql)
                : (Built<Q>) kept.get().computeIfAbsent(this, _ -> {
                    Built<Q> fresh = build(sql);
                    fresh.query.keepStatement(true);
                    return fresh;
                });
    }

    private Built<Q> build(DSLContext sql) {
        var values = new Values();
        Q query = build.apply(sql, values);
        return new Built<>(query, List.copyOf(values.places));
    }
}
