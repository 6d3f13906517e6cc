package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.BuildResponseItem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Set;

/// Makes images for tests, out of what is on the engine already.
final class TestImages {
    private TestImages() {}

    /// Builds an image; `FILE` in the recipe can be copied into it.
    static void build(DockerClient client, String tag, String recipe) throws Exception {
        var files = new LinkedHashMap<String, byte[]>();
        files.put("Dockerfile", recipe.getBytes(StandardCharsets.UTF_8));
        files.put("FILE", "just a file\n".getBytes(StandardCharsets.UTF_8));
        var following = new Following<BuildResponseItem>(item -> {
            if (item.isErrorIndicated()) throw new AssertionError(String.valueOf(item.getErrorDetail()));
        });
        client.buildImageCmd(new ByteArrayInputStream(Tar.files(files)))
                .withTags(Set.of(tag))
                .exec(following);
        following.await();
        client.inspectImageCmd(tag).exec();
    }
}
