package hermit.problem;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// Finds the word that was probably meant, for messages only.
public final class Nearest {
    private Nearest() {}

    /// The known word with the least edit distance, if it is near enough to be a slip (a third of the word, at most
    /// 3).
    public static Optional<String> to(String word, Collection<String> known) {
        if (word.length() > 64) return Optional.empty();
        int limit = Math.clamp(word.length() / 3 + 1, 1, 3);
        return known.stream()
                .filter(each -> distance(word, each) <= limit)
                .min(Comparator.comparingInt(each -> distance(word, each)));
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) d[i][0] = i;
        for (int j = 0; j <= b.length(); j++) d[0][j] = j;
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
        return d[a.length()][b.length()];
    }
}
