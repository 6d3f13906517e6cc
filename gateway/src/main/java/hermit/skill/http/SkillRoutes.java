package hermit.skill.http;

import hermit.agent.AgentId;
import hermit.api.SkillScan;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.paging.Page;
import hermit.skill.SkillName;
import hermit.skill.Skills;
import java.util.List;
import java.util.Optional;

/// The registry of skills, and who has which.
public final class SkillRoutes implements Routes {
    private static final String ALL = "/api/skills";
    private static final String OF_AGENT = "/api/agents/{id}/skills";

    private final Skills skills;

    public SkillRoutes(Skills skills) {
        this.skills = skills;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, _ -> reply(skills.all())),
                Route.post(ALL + "/scan", this::scan).withoutBody(),
                Route.post(ALL + "/{skill}/enable", this::enable).withoutBody(),
                Route.post(ALL + "/{skill}/disable", this::disable).withoutBody(),
                Route.get(OF_AGENT, request -> reply(skills.of(AgentId.inPath(request.path("id"))))),
                Route.post(OF_AGENT + "/{skill}/enable", this::enableForAgent).withoutBody(),
                Route.post(OF_AGENT + "/{skill}/disable", this::disableForAgent).withoutBody());
    }

    private Reply scan(Request request) {
        var scanned = skills.scan();
        return Reply.ok(new SkillScan(
                names(scanned.added()),
                names(scanned.changed()),
                names(scanned.removed()),
                scanned.refused().entrySet().stream()
                        .map(each -> new SkillScan.Refused(each.getKey(), each.getValue()))
                        .toList()));
    }

    private Reply enable(Request request) {
        skills.enable(skill(request), Optional.empty());
        return Reply.noContent();
    }

    private Reply disable(Request request) {
        skills.disable(skill(request), Optional.empty());
        return Reply.noContent();
    }

    private Reply enableForAgent(Request request) {
        skills.enable(skill(request), Optional.of(AgentId.inPath(request.path("id"))));
        return Reply.noContent();
    }

    private Reply disableForAgent(Request request) {
        skills.disable(skill(request), Optional.of(AgentId.inPath(request.path("id"))));
        return Reply.noContent();
    }

    /// All at once: an operator has dozens of skills, not thousands.
    private static Reply reply(List<Skills.Held> held) {
        return Pages.reply(new Page<>(held, Optional.empty()), SkillRoutes::json);
    }

    private static hermit.api.Skill json(Skills.Held held) {
        var skill = held.skill();
        return new hermit.api.Skill(
                skill.name().value(),
                skill.description(),
                skill.digest(),
                skill.files(),
                skill.bytes(),
                skill.scannedAt(),
                held.holding().toString());
    }

    private static List<String> names(List<SkillName> names) {
        return names.stream().map(SkillName::value).toList();
    }

    private static SkillName skill(Request request) {
        return SkillName.inPath(request.path("skill"));
    }
}
