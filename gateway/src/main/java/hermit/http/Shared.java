package hermit.http;

import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.world.World;
import java.time.Duration;

/// What all routes of a server have in common.
record Shared(
        Authenticator authenticator,
        Rights rights,
        RequestObserver observer,
        ClientAddresses addresses,
        RunningRequests running,
        RouteTable table,
        JsonMapper json,
        World world,
        Duration heartbeat) {}
