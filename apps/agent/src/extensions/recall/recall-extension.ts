import {
  collectResults,
  compactTool,
  recallTool as definition,
  readRecallInput,
  recalledText,
  type Store,
} from "palimpsest";
import type { Recalled, RecallRequest } from "palimpsest/inspect";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";

/**
 * Adds recall of stored, cleared and compacted content, and the tool that proposes a compaction, if it is on. Removes stored results of
 * old sessions in the background.
 */
export function recallExtension({ store, clock }: Pick<ExtensionContext, "store" | "clock">): Extension {
  let collecting: Collecting | undefined;
  return {
    name: "recall",
    tools: ({ session }) => [recallTool((request) => session.recall(request)), ...proposalTools(session)],
    commands: [recallCommand],
    async beforeTurn({ session }) {
      collecting ??= collectOldResults({ store, session, clock });
      collecting.begin();
    },
    close: async () => collecting?.close(),
  };
}

function proposalTools(session: Pick<AgentSession, "mark" | "settings">): readonly AgentTool[] {
  if (session.settings().settings.compactTool === "off") return [];
  return [{ ...compactTool(session), effect: "talk" } as AgentTool];
}

const recallCommand: SlashCommand = {
  name: "recall",
  takes: "WORDS | ENTRY",
  about: "search everything that was stored, cleared or compacted",
  when: "always",
  async open({ words, session, say }) {
    if (words === "") return say("To search: /recall WORDS. To show an entry: /recall 12", { color: "warning" });
    const request = /^\d+$/.test(words) ? { entry: Number(words) } : { search: words };
    say(recalledText(await session.recall(readRecallInput(request))));
  },
};

/** The type of `Session.recall()`. */
type Recall = (request: RecallRequest) => Promise<Recalled>;

/** Recalls stored, cleared and compacted content. The engine checks the input. */
export function recallTool(recall: Recall): AgentTool {
  return {
    ...definition,
    description: definition.description ?? "",
    concurrency: "safe",
    effect: "talk",
    repeat: "free",
    results: "clearable",
    execute: async (input) => recalledText(await recall(readRecallInput(input))),
  };
}

interface CollectingOptions {
  readonly store: Store;
  readonly session: Pick<AgentSession, "settings" | "events">;
  /** The clock. @default the system's clock */
  readonly clock?: { now(): number };
}

interface Collecting {
  /** Starts the removal in the background, once. */
  begin(): void;
  /** Waits a short time for the removal. The next session removes the rest. */
  close(): Promise<void>;
}

/** How long to wait at exit, which is too short to notice. */
const CLOSING_MS = 500;

const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;

/**
 * Removes stored results of the project's old sessions. Emits an event if results were removed or could not be removed.
 */
export function collectOldResults({ store, session, clock = { now: Date.now } }: CollectingOptions): Collecting {
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function collect(): Promise<void> {
    const { settings } = session.settings();
    const { removed, failures } = await collectResults(store, {
      nowMs: clock.now(),
      maxAgeMs: settings["toolResults.keptDays"] * DAY_MS,
      maxBytes: settings["toolResults.keptMegabytes"] * MEGABYTE,
      signal: closing.signal,
    });
    if (removed.length > 0 || failures.length > 0) {
      const bytes = removed.reduce((sum, one) => sum + one.bytes, 0);
      emit(removed.length, bytes, failures.length, failures[0]?.error);
    }
  }

  function emit(sessions: number, bytes: number, failures: number, error: unknown): void {
    const because = error instanceof Error ? { error: error.message } : {};
    session.events.emit({ kind: "results-collected", sessions, bytes, failures, ...because });
  }

  return {
    begin() {
      running ??= collect().catch((error: unknown) => emit(0, 0, 1, error));
    },
    async close() {
      const timer = setTimeout(() => closing.abort(), CLOSING_MS);
      await running;
      clearTimeout(timer);
    },
  };
}
