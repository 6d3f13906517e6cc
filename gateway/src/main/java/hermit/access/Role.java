package hermit.access;

import java.util.Locale;

/// What a member is to an agent, from the least to the most.
public enum Role {
    GUEST,
    USER,
    OWNER;

    public boolean atLeast(Role other) {
        return compareTo(other) >= 0;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
