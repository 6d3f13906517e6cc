package hermit.turn;

import hermit.agent.Agent;
import hermit.agent.Agents;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.SandboxView;
import hermit.sandbox.Sandboxes;
import hermit.session.Redaction;
import hermit.session.SessionEvent.Draft;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import hermit.skill.Skills;
import hermit.tool.ToolSchema;
import hermit.tool.ToolSchemas;
import hermit.turn.RunningTurn.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// One turn from its beginning to its end: the model is asked, what it wants is called, it is told what
/// came of that and asked again, until it wants nothing more. At each step everything is looked at anew:
/// who may what, which model answers, and which sandboxes there are.
public final class TurnLoop {
    /// Messages of a session that a model is shown, if they fit.
    private static final int REMEMBERED = 100;
    /// Of them all, as far as they are read: more than any context takes.
    private static final long MOST_CHARACTERS = 4_000_000;

    private final TurnStore store;
    private final Sessions sessions;
    private final Agents agents;
    private final Sandboxes sandboxes;
    private final Skills skills;
    private final Models models;
    private final ToolSchemas schemas;
    private final Asking asking;
    private final ToolCalls calls;
    private final Redaction redaction;
    private final TurnLimits limits;
    private final TurnListener listener;
    private final UUID gateway;

    public TurnLoop(
            TurnStore store,
            Sessions sessions,
            Agents agents,
            Sandboxes sandboxes,
            Skills skills,
            Models models,
            ToolSchemas schemas,
            Asking asking,
            ToolCalls calls,
            Redaction redaction,
            TurnLimits limits,
            TurnListener listener,
            UUID gateway) {
        this.store = store;
        this.sessions = sessions;
        this.agents = agents;
        this.sandboxes = sandboxes;
        this.skills = skills;
        this.models = models;
        this.schemas = schemas;
        this.asking = asking;
        this.calls = calls;
        this.redaction = redaction;
        this.limits = limits;
        this.listener = listener;
        this.gateway = gateway;
    }

    /// How it has ended, and what was said of it before the last word.
    record Ended(Turn.Reason reason, Optional<String> detail, List<Draft> drafts) {
        static Ended of(Turn.Reason reason) {
            return new Ended(reason, Optional.empty(), List.of());
        }
    }

    /// Throws [Stopped] if it was told to.
    Ended run(RunningTurn running, TurnWriter writer) throws Stopped, InterruptedException {
        Turn turn = writer.turn();
        try {
            return converse(running, writer);
        } catch (ModelFailure e) {
            return failed(turn, "model_failed", redaction.text(e.detail()));
        } catch (NotFound e) {
            // What a stranger is told of a private agent would be a riddle here.
            return failed(turn, e.code().wire(), "The message's author may not talk to this agent any more");
        } catch (GatewayException e) {
            return failed(turn, e.code().wire(), redaction.text(e.detail()));
        }
    }

    private Ended converse(RunningTurn running, TurnWriter writer) throws ModelFailure, Stopped, InterruptedException {
        Turn turn = writer.turn();
        var conversation = new ArrayList<>(conversation(turn));
        for (int number = 1; number <= limits.maxSteps(); number++) {
            requireWanted(turn, running);
            Entered entered = sessions.enterAgain(turn.author(), turn.agent(), turn.agentUid(), turn.session());
            Agent agent = agents.get(turn.agent());
            Model model = model(agent);
            if (number == 1) writer.say(TurnEvents.started(turn, model.info().name()));
            Prompt prompt = prompt(agent, entered, conversation, model, number, writer);
            Answer answer = asking.ask(model, prompt, number, running, writer);
            listener.used(model.info(), answer.usage());
            var step = new Step(number, answer.text(), answer.calls(), List.of());
            writer.step(step, answer.usage(), drafts(turn, step, answer));
            if (answer.calls().isEmpty()) return Ended.of(Turn.Reason.DONE);
            conversation.add(redacted(new Message.Assistant(step.text(), step.calls())));
            conversation.add(new Message.Results(calls.carryOut(entered, step, running, writer)));
        }
        return Ended.of(Turn.Reason.MAX_STEPS);
    }

    /// It may have been cancelled at another gateway: nothing is begun then that would have to be ended at
    /// once.
    private void requireWanted(Turn turn, RunningTurn running) throws Stopped {
        if (store.toEnd(gateway).contains(turn.id())) running.stop(Stop.CANCELLED);
        Optional<Stop> stop = running.stopped();
        if (stop.isPresent()) throw new Stopped(stop.get());
    }

    /// Without secrets before anything of it is cut: a part of one would not be known any more.
    private List<Message> conversation(Turn turn) {
        var exchanges = store.before(turn.session(), turn.messageSeq() + 1, REMEMBERED, MOST_CHARACTERS);
        var messages = new ArrayList<>(History.of(exchanges.subList(0, exchanges.size() - 1)));
        messages.add(new Message.User(exchanges.getLast().text()));
        return messages.stream().map(this::redacted).toList();
    }

    /// What fits of the conversation stays so for the steps to come.
    private Prompt prompt(
            Agent agent, Entered entered, List<Message> conversation, Model model, int step, TurnWriter writer)
            throws Stopped, InterruptedException {
        List<SandboxView> views = sandboxes.storedOf(agent.id());
        var had = skills.of(agent.id()).stream()
                .filter(each -> each.holding() != Skills.Holding.NONE)
                .map(Skills.Held::skill)
                .toList();
        var actor = entered.actor();
        var offered = views.isEmpty()
                ? List.<ToolSchema>of()
                : schemas.offeredByAlias(actor.agent().policy(), actor.role(), views);
        var frame = new Prompt(redaction.text(SystemPrompt.of(agent, views, had)), List.of(), offered);
        long budget = (long) model.info().contextTokens() - model.info().maxOutputTokens() - Weight.of(frame);
        var fitted = Compaction.fit(conversation, budget);
        if (fitted.changed()) {
            writer.say(TurnEvents.compacted(writer.turn().id(), step, fitted));
            conversation.clear();
            conversation.addAll(fitted.messages());
        }
        return new Prompt(frame.system(), conversation, offered);
    }

    /// Whatever was said or stored before its value became a secret.
    private Message redacted(Message message) {
        return switch (message) {
            case Message.User(String text) -> new Message.User(redaction.text(text));
            case Message.Assistant(String text, var wanted) ->
                new Message.Assistant(
                        redaction.text(text),
                        wanted.stream()
                                .map(each -> new WantedCall(
                                        each.id(),
                                        each.exec(),
                                        each.tool(),
                                        redaction.document(each.arguments()),
                                        each.unreadable()))
                                .toList());
            case Message.Results(var results) ->
                new Message.Results(results.stream()
                        .map(each -> new CallResult(
                                each.call(), each.tool(), redaction.document(each.document()), each.failed()))
                        .toList());
        };
    }

    private Model model(Agent agent) throws ModelFailure {
        String name = agent.config().model().orElseThrow(() -> ModelFailure.lasting("The agent has no model any more"));
        return models.find(name)
                .orElseThrow(
                        () -> ModelFailure.lasting("The agent's model '%s' is not set up any more".formatted(name)));
    }

    private static List<Draft> drafts(Turn turn, Step step, Answer answer) {
        var drafts = new ArrayList<Draft>();
        if (!step.text().isEmpty()) drafts.add(TurnEvents.said(turn.id(), step.number(), step.text(), false));
        if (answer.cut()) drafts.add(TurnEvents.outputCut(turn.id(), step.number()));
        return drafts;
    }

    private static Ended failed(Turn turn, String code, String detail) {
        return new Ended(Turn.Reason.ERROR, Optional.of(detail), List.of(TurnEvents.error(turn.id(), code, detail)));
    }

    /// As what a turn ends that was told to stop; empty where that is not for this gateway to say any more.
    static Optional<Ended> ended(Stop why) {
        return switch (why) {
            case CANCELLED -> Optional.of(Ended.of(Turn.Reason.CANCELLED));
            case MAX_TIME -> Optional.of(Ended.of(Turn.Reason.MAX_TIME));
            case CLOSING ->
                Optional.of(new Ended(
                        Turn.Reason.INTERRUPTED,
                        Optional.of("The gateway was stopped in the middle; nothing of it is done again"),
                        List.of()));
            case LOST -> Optional.empty();
        };
    }
}
