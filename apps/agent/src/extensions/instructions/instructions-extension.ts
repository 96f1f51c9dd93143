import { attachment } from "palimpsest";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { hasFailed } from "../../extension/make-tool.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { INSTRUCTIONS, shownTexts } from "../../extension/session-head.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { unseenFiles } from "../../permissions/unseen-file.ts";
import { type Instructions, openInstructions } from "./open-instructions.ts";
import { isSent, nameOf, readSentFiles, versionOf } from "./render-instructions.ts";

interface InstructionsExtension extends Extension {
  /** Wraps the Read tool, to append a folder's instructions when a file in the folder is read. */
  readonly aroundRead: (read: AgentTool) => AgentTool;
}

/** Adds the instruction files (AGENTS.md, CLAUDE.md) of the user, the project and its folders. */
export async function instructionsExtension({
  guard,
  permissions,
  places,
  commandTimes,
  person,
}: Pick<
  ExtensionContext,
  "guard" | "permissions" | "places" | "commandTimes" | "person"
>): Promise<InstructionsExtension> {
  const { home, agentHome } = places;
  const instructions = await openInstructions({
    guard,
    rules: permissions.rules,
    home,
    agentHome,
    findUnseen: unseenFiles(commandTimes, agentHome),
    onUnseen: (text) => void person?.onNotice(text),
  });
  let followed: FollowedInstructions | undefined;
  return {
    name: "instructions",
    head: instructions,
    problems: instructions.problems,
    async begin(session) {
      followed = followInstructions({ session, instructions });
    },
    aroundRead: (read) => ({
      ...read,
      execute: (input, context) => (followed?.around(read) ?? read).execute(input, context),
    }),
    beforeTurn: async () => followed?.announce(),
  };
}

interface FollowOptions {
  readonly session: Pick<AgentSession, "id" | "view" | "append" | "events">;
  readonly instructions: Instructions;
}

/** Shows instructions to the model during a session. */
interface FollowedInstructions {
  /** Runs the hooks for instructions that entered the request. */
  announce(): Promise<void>;
  /** Wraps the Read tool: appends the instructions of the file's folder to its result. */
  around(read: AgentTool): AgentTool;
}

export function followInstructions({ session, instructions }: FollowOptions): FollowedInstructions {
  const announced = new Set<string>();
  // A compaction writes the instructions into the head again.
  session.events.listen((event) => {
    if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") announced.clear();
  });

  /** Runs the hooks once for each text in this process, and again after a compaction. */
  async function announce(): Promise<void> {
    const sent = readSentFiles(shownTexts(session));
    for (const file of instructions.files.filter((one) => isSent(sent, one))) {
      const text = `${nameOf(file.path)} ${versionOf(file.text)}`;
      if (announced.has(text)) continue;
      announced.add(text);
      await session.events.runHooks("InstructionsLoaded", { sessionId: session.id, path: file.path });
    }
  }

  // Tools run in parallel, and two reads in one folder must not both append its instructions.
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
      async execute(input, context) {
        const outcome = await read.execute(input, context);
        const { file_path: path } = input as { readonly file_path?: unknown };
        if (hasFailed(outcome) || typeof path !== "string") return outcome;
        await inTurn(async () => {
          const due = await instructions.instructionsFor(path, shownTexts(session));
          if (due === undefined) return;
          await session.append(attachment(INSTRUCTIONS, due, { kind: "project" }));
          await announce();
        });
        return outcome;
      },
    }),
  };
}
