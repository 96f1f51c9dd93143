import { startTurn as startAgentTurn } from "../../agent/start-turn.ts";
import { keepCacheWarm } from "../../commands/stream/report-turn.ts";
import { runsAlways } from "../commands/slash-commands.ts";
import { withPastes } from "../prompt/pastes.ts";
import { readCurrentFile } from "../read-current-file.ts";
import { refreshStatus } from "../read-status.ts";
import { resumeOffer } from "../resume-offer.ts";
import type { EffectOf } from "../screen-event.ts";
import { watchTools } from "../watch-tools.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";
import { knownPastes, readMessage } from "./message.ts";

/** Reads what the user entered: a slash command, a shell command after `!`, or a message for the model. */
export async function submit(running: Running, { text }: EffectOf<"submit">, ports: HandlerPorts): Promise<void> {
  const pastes = knownPastes(ports);
  await ports.history.add(text, pastes).catch(ports.showError);
  if (text.startsWith("/") || (text.startsWith("!") && text.length > 1)) {
    const when = runsAlways(text, running.commands) ? "always" : "idle";
    return ports.emit({ kind: "command-entered", text: withPastes(text, pastes), when });
  }
  ports.emit({ kind: "message", message: await readMessage(running, text, pastes, ports) });
}

/** Begins a turn with a message. After a long pause, asks first, since the request is expensive then. */
export async function beginTurn(
  { session }: Running,
  { message }: EffectOf<"begin-turn">,
  { emit, dialogs, terminal }: HandlerPorts,
): Promise<void> {
  try {
    const { nextRequest } = await session.ledger.cost();
    const offer = resumeOffer(nextRequest, terminal.clock.now());
    const answer = offer && (await dialogs.ask(offer));
    if (answer?.kind === "left") return emit({ kind: "message-returned", text: message.text });
    const compacts = answer?.kind === "chosen" && answer.values[0] === "compact";
    emit(compacts ? { kind: "compact-first", message } : { kind: "turn-requested", message });
  } catch (error) {
    emit({ kind: "message-returned", text: message.text });
    throw error;
  }
}

/** Runs one turn. Without a message, the model continues from the current state. */
export function startTurn({ agent }: Running, { message }: EffectOf<"start-turn">, ports: HandlerPorts): Promise<void> {
  const { emit, waiting, terminal, project, showError } = ports;
  emit({ kind: "turn-started", said: message === undefined ? [] : [message.shown] });
  return ports.work.runTurn(async (signal) => {
    try {
      const tools = watchTools(agent.tools, {
        readFile: (path) => readCurrentFile(path, [project.folder, ...agent.settings.settings.folders]),
        onResult: (callId, { text, lines, diff }) => emit({ kind: "tool-result", callId, text, lines, diff }),
      });
      const events = await startAgentTurn(agent, {
        tools,
        clock: terminal.clock,
        signal,
        inbox: { deliver: async (to) => (await waiting.deliver(to)) + (await agent.agents.inbox.deliver(to)) },
        words: message?.text,
        prompt: message?.content,
      });
      for await (const event of events) {
        emit({ kind: "query", event });
        if (event.kind === "response" || event.kind === "tool-ended") await refreshStatus(agent, emit);
      }
    } catch (error) {
      showError(error);
    }
    emit({ kind: "turn-over" });
  });
}

/** Stops the newest turn or command. What waits was meant for that work: it returns to the prompt, to be sent or not. */
export async function stop(_: Running, __: EffectOf<"stop">, { emit, waiting, work }: HandlerPorts): Promise<void> {
  const withdrawn = waiting.withdrawAll().join("\n\n");
  work.stop();
  if (withdrawn !== "") emit({ kind: "prompted", text: withdrawn, place: "above" });
}

/** Lets a message or a command wait for the end of the turn. */
export async function enqueue(_: Running, { input }: EffectOf<"enqueue">, { waiting }: HandlerPorts): Promise<void> {
  waiting.add(input);
}

/** Takes one of the waiting inputs back. */
export async function withdraw(
  _: Running,
  { id, to }: EffectOf<"withdraw">,
  { emit, waiting }: HandlerPorts,
): Promise<void> {
  const text = waiting.withdraw(id);
  if (text !== undefined && to === "prompt") emit({ kind: "prompted", text, place: "above" });
}

export async function moveQueued(
  _: Running,
  { id, by }: EffectOf<"move-queued">,
  { waiting }: HandlerPorts,
): Promise<void> {
  waiting.move(id, by);
}

/**
 * Reads the status, and waits for agents that run between two turns. A report of an agent starts a turn if none is running. The
 * event about an agent that has just been woken comes before the agent counts as running.
 */
export async function awaitAgents(
  { agent }: Running,
  _: EffectOf<"await-agents">,
  { emit, running }: HandlerPorts,
): Promise<void> {
  await refreshStatus(agent, emit);
  const found = await agent.agents.idle();
  if (running().agent === agent) emit({ kind: "agents-idle", found });
}

/** Keeps the prompt cache warm between two turns. */
export async function keepWarm({ session }: Running): Promise<void> {
  keepCacheWarm(session);
}

/** Shows the next step of the tour. */
export async function showTourStep(_: Running, __: EffectOf<"tour-next">, { tour }: HandlerPorts): Promise<void> {
  tour.next();
}
