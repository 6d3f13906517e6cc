package hermit.fake.e2b;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a request of the control plane or to a sandbox is about.
///
/// - `operation`: the word under which faults are asked for.
/// - `id`: of the sandbox; empty where there is none in the path.
record Route(Plane plane, String operation, String id, boolean v2) {
    private static final Pattern SANDBOX = Pattern.compile("(/v2)?/sandboxes/([^/]+)(?:/([a-z]+))?");
    private static final Pattern RPC = Pattern.compile("/(process\\.Process|filesystem\\.Filesystem)/(.+)");

    enum Plane {
        CONTROL,
        SANDBOX
    }

    static Route of(Call call) {
        String path = call.path();
        boolean get = call.method().equals("GET");
        boolean post = call.method().equals("POST");
        if (path.equals("/v2/sandboxes") || path.equals("/sandboxes"))
            return control(post ? "create" : get ? "list" : "none", "", path.startsWith("/v2"));
        Matcher sandbox = SANDBOX.matcher(path);
        if (sandbox.matches()) {
            String last = sandbox.group(3) == null ? "" : sandbox.group(3);
            String operation = switch (last) {
                case "" -> get ? "info" : call.method().equals("DELETE") ? "kill" : "none";
                case "connect", "timeout", "pause" -> post ? last : "none";
                default -> "none";
            };
            return control(operation, sandbox.group(2), sandbox.group(1) != null);
        }
        return new Route(Plane.SANDBOX, daemon(call), "", false);
    }

    private static Route control(String operation, String id, boolean v2) {
        return new Route(Plane.CONTROL, operation, id, v2);
    }

    private static String daemon(Call call) {
        Matcher rpc = RPC.matcher(call.path());
        if (!rpc.matches())
            return switch (call.path()) {
                case "/health" -> "health";
                case "/files" -> call.method().equals("GET") ? "download" : "upload";
                case "/envs" -> "envs";
                default -> "none";
            };
        return switch (rpc.group(2)) {
            case "Start" -> "start";
            case "Connect" -> "attach";
            case "List" -> "processes";
            case "SendInput" -> "input";
            case "CloseStdin" -> "close_stdin";
            case "SendSignal" -> "signal";
            case "Update" -> "resize";
            case "Stat" -> "stat";
            case "ListDir" -> "list_dir";
            case "MakeDir" -> "make_dir";
            case "Move" -> "move";
            case "Remove" -> "remove";
            default -> "none";
        };
    }
}
