import { attachment, type PlacedText } from "palimpsest";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { INSTRUCTIONS, shownTexts } from "../../extension/session-head.ts";
import { unseenFiles } from "../../permissions/unseen-file.ts";
import { type Instructions, openInstructions } from "./open-instructions.ts";
import { isSent, nameOf, readSentFiles, versionOf } from "./render-instructions.ts";

/**
 * Adds the instruction files (AGENTS.md, CLAUDE.md) of the user, the project and its folders. The instructions of a folder are
 * shown when a tool touches a path in the folder.
 */
export async function instructionsExtension({
  guard,
  permissions,
  places,
  commandTimes,
  person,
  sessionId,
}: Pick<
  ExtensionContext,
  "guard" | "permissions" | "places" | "commandTimes" | "person" | "sessionId"
>): Promise<Extension> {
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
    touched: async (paths) => followed?.touched(paths),
    // Sessions of agents are not shown the rules of folders.
    surroundings: (session) =>
      session === sessionId ? { folderRules: async (files) => followed?.folderRules(files) } : {},
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
  /** Appends the instructions of the folders of these paths, unless the model sees them. */
  touched(paths: readonly string[]): Promise<void>;
  /** The instructions of folders that are in use, to be shown again after a compaction. */
  folderRules(files: readonly string[]): Promise<readonly PlacedText[]>;
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

  // Tools run in parallel, and two calls in one folder must not both append its instructions.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  }

  return {
    announce,
    folderRules: (files) => instructions.folderRules(files, shownTexts(session)),
    touched: (paths) =>
      inTurn(async () => {
        const due = await instructions.instructionsFor(paths, shownTexts(session));
        if (due === undefined) return;
        await session.append(attachment(INSTRUCTIONS, due, { kind: "project" }));
        await announce();
      }),
  };
}
