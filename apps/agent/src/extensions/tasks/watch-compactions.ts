import type { BackgroundTask } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";

interface WatchedSession {
  readonly events: Pick<AgentSession["events"], "listen">;
  readonly ledger: Pick<AgentSession["ledger"], "totals">;
}

/** Returns a function that lists the compaction that runs, if one does. Esc stops it, with its turn or its command. */
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
