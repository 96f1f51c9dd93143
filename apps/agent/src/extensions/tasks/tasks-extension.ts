import type { BackgroundTask, Extension } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { plainLines } from "../../text/line.ts";
import { usd } from "../../text/table.ts";
import { cleanText } from "../../text/visible-text.ts";

/**
 * Adds `/tasks` for the background tasks of all extensions and for compactions of the session.
 * @param status lists the tasks of all extensions
 */
export function tasksExtension(status: () => readonly BackgroundTask[]): Extension {
  let compactions = (): readonly BackgroundTask[] => [];
  return {
    name: "tasks",
    commands: [tasksCommand(() => [...status(), ...compactions()])],
    async begin(session) {
      compactions = watchCompactions(session);
    },
  };
}

const SHOWN_LINES = 12;

/**
 * `/tasks` lists everything that runs in the background with its progress and cost. The user can read a task's output
 * and stop the task.
 */
export function tasksCommand(list: () => readonly BackgroundTask[]): SlashCommand {
  return {
    name: "tasks",
    about: "list what runs in the background; show its output, stop it",
    when: "always",
    async open({ ask, say }) {
      const running = list().filter(({ state }) => state !== "waits");
      if (running.length === 0) return say("Nothing runs in the background.");
      const options = running.map((task) => {
        const about = progressOf(task);
        return { value: task.id, label: oneLine(task.what), ...(about === "" ? {} : { about }) };
      });
      const chosen = await ask({ title: "In the background", body: [], options });
      // Reads the task again, because it may have changed or ended while the list was open.
      const task = list().find(({ id }) => chosen.kind === "chosen" && id === chosen.values[0]);
      if (task === undefined) return;
      const { id, stop } = task;
      const answer = await ask({
        title: task.output === undefined ? oneLine(task.what) : `${id}: the end of its output`,
        body: await bodyOf(task),
        options: [
          { value: "leave", label: "Let it run" },
          ...(stop === undefined ? [] : [{ value: "stop", label: "Stop it" }]),
        ],
      });
      if (stop === undefined || answer.kind !== "chosen" || answer.values[0] !== "stop") return;
      await stop();
      say(`${id} was stopped.`);
    },
  };
}

/** The task's progress and cost. Empty if neither is known. */
function progressOf({ progress, priceUsd }: BackgroundTask): string {
  const price = priceUsd === undefined ? [] : [usd(priceUsd)];
  return [...(progress === undefined ? [] : [oneLine(progress)]), ...price].join(", ");
}

async function bodyOf(task: BackgroundTask) {
  const text = task.output === undefined ? progressOf(task) : await task.output();
  return plainLines(cleanText(text).trimEnd() || "(nothing yet)").slice(-SHOWN_LINES);
}

function oneLine(text: string): string {
  return cleanText(text).replaceAll("\n", " ");
}

interface WatchedSession {
  readonly events: Pick<AgentSession["events"], "listen">;
  readonly ledger: Pick<AgentSession["ledger"], "totals">;
}

/**
 * Returns a function that lists the running compaction, if any. Escape stops the compaction with its turn or command.
 */
export function watchCompactions({ events, ledger }: WatchedSession): () => readonly BackgroundTask[] {
  let running: { readonly progress: string; readonly spentBeforeUsd: number } | undefined;
  const spentUsd = (): number => ledger.totals().priceUsd;
  events.listen((event) => {
    if (event.kind === "compaction-started") running = { progress: "starting", spentBeforeUsd: spentUsd() };
    if (event.kind === "compaction-progressed" && running !== undefined) {
      const { phase, receivedCharacters: received } = event;
      const progress = received === undefined ? phase : `${phase}, ${received.toLocaleString("en-US")} characters`;
      running = { ...running, progress };
    }
    if (event.kind === "compaction-ended") running = undefined;
  });
  return () => {
    if (running === undefined) return [];
    const { progress, spentBeforeUsd } = running;
    const priceUsd = spentUsd() - spentBeforeUsd;
    const what = "compacting the conversation (Esc stops it)";
    return [{ id: "compaction", kind: "compaction", what, progress, priceUsd, shownBy: "/tasks" }];
  };
}
