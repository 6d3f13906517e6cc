package hermit.backend.docker;

import hermit.problem.GatewayException.Unsupported;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A user of an image, as numbers.
record ImageUser(long uid, long gid) {
    static final ImageUser ROOT = new ImageUser(0, 0);
    /// Of an `/etc/passwd`. Real ones have a few kilobytes.
    static final int LONGEST = 1 << 20;

    /// Looks a user up, as the keeper will. `passwd` is the image's `/etc/passwd`, empty if it has none.
    static ImageUser of(String username, Optional<byte[]> passwd, String image) {
        int colon = username.indexOf(':');
        if (colon >= 0)
            return new ImageUser(
                    Long.parseLong(username.substring(0, colon)), Long.parseLong(username.substring(colon + 1)));
        boolean number = Character.isDigit(username.charAt(0));
        String text = new String(passwd.orElse(new byte[0]), StandardCharsets.UTF_8);
        for (String line : text.lines().toList()) {
            String[] fields = line.split(":", -1);
            if (fields.length < 4 || !isId(fields[2]) || !isId(fields[3])) continue;
            if (fields[number ? 2 : 0].equals(username))
                return new ImageUser(Long.parseLong(fields[2]), Long.parseLong(fields[3]));
        }
        // A number needs no entry, and is then its own group.
        if (number) return new ImageUser(Long.parseLong(username), Long.parseLong(username));
        if (passwd.isEmpty() && username.equals("root")) return ROOT;
        throw new Unsupported("image %s has no user '%s'".formatted(image, username));
    }

    private static boolean isId(String text) {
        return text.matches("[0-9]{1,10}");
    }
}
