package hermit.backend.docker;

import hermit.backend.keeper.KeeperProgram;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;

/// An image that holds the keeper and nothing else, as an archive that the engine loads. (The library's
/// call for an import of a plain archive sends it as JSON.)
final class KeeperImage {
    private static final String REPOSITORY = "hermit-keeper";
    private static final String LAYER = "layer.tar";
    private static final String CONFIG = "config.json";

    private KeeperImage() {}

    /// The image's name with tag, by the keeper's short digest.
    static String name(String shortDigest) {
        return REPOSITORY + ":" + shortDigest;
    }

    /// `image` is its name with tag; `program` the name of the one file, in the root directory.
    static byte[] archive(String image, String program, KeeperProgram keeper) {
        byte[] layer = Tar.program(program, keeper.bytes());
        String config = """
                {"architecture":"%s","os":"linux","config":{"Entrypoint":["/%s"],"Labels":{"%s":"%s"}},\
                "rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}""".formatted(
                        keeper.architecture(), program, Labels.KEEPER, keeper.digest(), KeeperProgram.digest(layer));
        String manifest = """
                [{"Config":"%s","RepoTags":["%s"],"Layers":["%s"]}]""".formatted(CONFIG, image, LAYER);
        var files = new LinkedHashMap<String, byte[]>();
        files.put(CONFIG, config.getBytes(StandardCharsets.UTF_8));
        files.put(LAYER, layer);
        files.put("manifest.json", manifest.getBytes(StandardCharsets.UTF_8));
        return Tar.files(files);
    }
}
