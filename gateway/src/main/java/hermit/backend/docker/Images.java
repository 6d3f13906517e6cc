package hermit.backend.docker;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.PullResponseItem;
import hermit.exec.Progress;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// Images on the engine, and how they get there.
final class Images {
    /// For one image. Large ones over slow lines take many minutes.
    private static final Duration PULL = Duration.ofHours(1);

    private final Engine engine;
    private final InstantSource clock;

    Images(Engine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /// Sees to it that the engine has an image, as the policy says. Throws [Unsupported] if there is no such image.
    void provide(String image, DockerSettings.PullPolicy policy, Progress progress) throws InterruptedException {
        switch (policy) {
            case ALWAYS -> pull(image, progress);
            case MISSING -> {
                if (!has(image)) pull(image, progress);
            }
            case NEVER -> {
                if (!has(image))
                    throw new Unsupported(("the engine has no image '%s', and the pull policy is 'never':"
                                    + " load it with 'docker load' or make one with 'hermit image build'")
                            .formatted(image));
            }
        }
    }

    boolean has(String image) throws InterruptedException {
        return engine.look("look for image " + image, client -> {
            try {
                client.inspectImageCmd(image).exec();
                return true;
            } catch (NotFoundException _) {
                return false;
            }
        });
    }

    /// Loads an image from an archive as `docker save` writes it. The archive names it.
    void load(String image, byte[] archive) {
        engine.act(
                "load image " + image,
                client -> client.loadImageCmd(new ByteArrayInputStream(archive)).exec());
    }

    /// The names of all images that carry a label, with that label's value.
    Map<String, String> labelled(String label) throws InterruptedException {
        return engine.look("list images", client -> {
            var names = new HashMap<String, String>();
            for (var image : client.listImagesCmd().withLabelFilter(label).exec())
                for (String name : Objects.requireNonNullElse(image.getRepoTags(), new String[0]))
                    names.put(name, image.getLabels().get(label));
            return names;
        });
    }

    /// Removes an image by its name. Nothing happens if it is in use or not there.
    void removeUnused(String image) {
        engine.act("remove image " + image, client -> {
            try {
                client.removeImageCmd(image).exec();
            } catch (NotFoundException | ConflictException _) {
                // Gone already, or needed by somebody.
            }
        });
    }

    private void pull(String image, Progress progress) throws InterruptedException {
        var reference = Reference.of(image);
        var lines = new PullProgress(image, progress, clock);
        var refused = new AtomicReference<Optional<String>>(Optional.empty());
        progress.report("pulling " + image);
        Optional<String> failure = engine.look("pull image " + image, PULL, client -> {
            var following = new Following<PullResponseItem>(item -> {
                if (item.isErrorIndicated()) refused.set(Optional.of(error(item)));
                else follow(item, lines);
            });
            try {
                client.pullImageCmd(reference.repository).withTag(reference.tag).exec(following);
                following.await();
            } catch (DockerException e) {
                // An image that the registry does not have is a 404 or a 500, as the engine pleases.
                if (EngineFailures.isVersionRefused(e)) throw e;
                return Optional.of(EngineFailures.message(e));
            }
            return refused.get();
        });
        if (failure.isEmpty()) return;
        String detail = "pull image %s: %s".formatted(image, failure.get());
        throw isAbsent(failure.get())
                ? new Unsupported(detail + "; make one with 'hermit image build', or correct the name")
                : new ProviderError(detail);
    }

    /// Whether the registry answered that there is no such image, which only a changed config can mend.
    private static boolean isAbsent(String failure) {
        String text = failure.toLowerCase(Locale.ROOT);
        return text.contains("manifest unknown")
                || text.contains("not found")
                || text.contains("pull access denied")
                || text.contains("no matching manifest");
    }

    private static String error(PullResponseItem item) {
        var detail = item.getErrorDetail();
        return detail == null || detail.getMessage() == null ? "the engine gave no reason" : detail.getMessage();
    }

    private static void follow(PullResponseItem item, PullProgress lines) {
        String id = item.getId();
        String status = item.getStatus();
        if (id == null || status == null) return;
        var detail = item.getProgressDetail();
        switch (status) {
            case "Downloading" -> {
                if (detail != null && detail.getCurrent() != null && detail.getTotal() != null)
                    lines.layer(id, detail.getCurrent(), detail.getTotal());
            }
            case "Download complete", "Pull complete" -> lines.complete(id);
            default -> {
                // Extracting, verifying, waiting: not part of what is counted.
            }
        }
    }

    /// An image's name as the engine's pull wants it: without a tag it would pull every tag that there is.
    private record Reference(String repository, String tag) {
        static Reference of(String image) {
            int digest = image.indexOf('@');
            if (digest >= 0) return new Reference(withoutTag(image.substring(0, digest)), image.substring(digest + 1));
            String repository = withoutTag(image);
            return new Reference(
                    repository,
                    repository.length() == image.length() ? "latest" : image.substring(repository.length() + 1));
        }

        private static String withoutTag(String name) {
            int colon = name.lastIndexOf(':');
            return colon > name.lastIndexOf('/') ? name.substring(0, colon) : name; // the other colon is a port's
        }
    }
}
