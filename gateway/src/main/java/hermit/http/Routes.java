package hermit.http;

import java.util.List;

/// The routes of one feature.
@FunctionalInterface
public interface Routes {
    List<Route> routes();
}
