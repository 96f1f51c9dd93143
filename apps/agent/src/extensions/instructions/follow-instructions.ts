import { attachment } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { INSTRUCTIONS, shownTexts } from "../../extension/session-head.ts";
import type { AgentTool } from "../../extension/tool.ts";
import type { Instructions } from "./open-instructions.ts";
import { isSent, readSentFiles } from "./render-instructions.ts";
import { nameOf, versionOf } from "./section-title.ts";

export interface FollowOptions {
  readonly session: Pick<AgentSession, "id" | "view" | "append" | "events">;
  readonly instructions: Instructions;
}

/** Keeps the model told of instructions while a session goes on. */
export interface FollowedInstructions {
  /** Runs the hooks of instructions that have become part of the request. */
  announce(): Promise<void>;
  /** The tool that reads files: what holds where a file lies is told behind it. */
  around(read: AgentTool): AgentTool;
}

export function followInstructions({ session, instructions }: FollowOptions): FollowedInstructions {
  const announced = new Set<string>();
  // A compaction puts them at the head once more.
  session.events.listen((event) => {
    if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") announced.clear();
  });

  /** Once for each text that a process sends, until a compaction sends it again. */
  async function announce(): Promise<void> {
    const told = readSentFiles(shownTexts(session));
    for (const file of instructions.files.filter((one) => isSent(told, one))) {
      const text = `${nameOf(file.path)} ${versionOf(file.text)}`;
      if (announced.has(text)) continue;
      announced.add(text);
      await session.events.runHooks("InstructionsLoaded", { sessionId: session.id, path: file.path });
    }
  }

  // Tools run beside each other: two reads in one folder must not both be told of it.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  }

  return {
    announce,
    around: (read) => ({
      ...read,
      async run(input, context) {
        const outcome = await read.run(input, context);
        const { file_path: path } = input as { readonly file_path?: unknown };
        if (outcome.status !== "ok" || typeof path !== "string") return outcome;
        await inTurn(async () => {
          const due = await instructions.instructionsFor(path, shownTexts(session));
          if (due === undefined) return;
          await session.append(attachment(INSTRUCTIONS, due));
          await announce();
        });
        return outcome;
      },
    }),
  };
}
