import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { startInspector, storeSource, transcriptSource, type UndoneCompaction } from "@palimpsest/inspector";
import { openMemory } from "@palimpsest/memory";
import {
  describeTranscript,
  findAgentTranscripts,
  findTranscripts,
  isOfFolder,
  RECORDED_AGENTS,
  type TranscriptReference,
} from "@palimpsest/transcripts";
import { COMMANDS } from "../cli/command-list.ts";
import { offlineByName } from "../cli/connect.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject, inSession, type Project } from "../cli/open-project.ts";
import { countOf, readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { userModels } from "../cli/user-models.ts";
import { findSession } from "../workspace/stored-sessions.ts";

/** Shows sessions in a browser of this machine, until the program is interrupted. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.inspect);
  const port = values.port === "0" ? 0 : (countOf("--port", values.port) ?? 0);
  const [wanted] = positionals;
  return inProject(terminal, async (project) => {
    const path = wanted === undefined ? undefined : resolve(terminal.folder, wanted);
    const isFile = path !== undefined && existsSync(path);
    const stored =
      isFile || (wanted === undefined && values.live !== true) ? undefined : await findSession(project.store, wanted);
    const own = storeSource({
      store: project.store,
      name: project.places.sessions,
      folder: project.folder,
      undo: (id, boundary) => undoCompaction(terminal, id, boundary),
    });
    const find = isFile ? () => findTranscripts(path) : () => findRecorded(project, terminal);
    const cache = join(project.places.agentHome, "inspector");
    const recorded = transcriptSource({ find, folder: join(cache, "imported") });
    const models = await userModels(terminal.environment);
    const memory = existsSync(project.places.memory)
      ? await openMemory({ folder: project.places.memory, clock: terminal.clock })
      : undefined;
    const inspector = await startInspector({
      sources: isFile ? [recorded] : [own, recorded],
      providerOf: (name) => offlineByName(name, models),
      folder: join(cache, "index"),
      port,
      ...(memory === undefined ? {} : { memory: { memory, keyOf: own.keyOf } }),
      onError: (error) => terminal.say(`A page could not be shown: ${String(error)}`, "warning"),
    });
    await terminal.print(inspector.entryUrl(stored && own.keyOf(stored.id)));
    terminal.say("Open this address in a browser of this machine. It lets one browser in, once. Press Ctrl-C to stop.");
    const signal = terminal.interruption();
    if (!signal.aborted) await once(signal, "abort");
    await inspector.close();
    await memory?.close();
    return signal.reason === EXIT.terminated ? EXIT.done : EXIT.interrupted;
  });
}

/** Undoes a compaction as `palimpsest undo` does. A session that another process has open is not touched. */
async function undoCompaction(terminal: Terminal, id: string, boundary: number): Promise<UndoneCompaction> {
  try {
    return await inSession(terminal, { id }, async ({ view, history }) => {
      const tokensBefore = view.size().tokens;
      await history.restore(boundary, "palimpsest inspect");
      return { kind: "undone", tokensBefore, tokensAfter: view.size().tokens };
    });
  } catch (error) {
    return { kind: "refused", why: error instanceof Error ? error.message : String(error) };
  }
}

/** Transcripts of other agents that worked in this folder, and all logs of the proxy. */
async function* findRecorded(
  { folder, places }: Project,
  { environment }: Terminal,
): AsyncGenerator<TranscriptReference> {
  for (const agent of RECORDED_AGENTS) {
    for await (const reference of findAgentTranscripts(agent, { home: places.home, environment })) {
      // The proxy does not know in which folder its clients work.
      const described = agent === "proxy" ? undefined : await describeTranscript(reference).catch(() => undefined);
      if (agent === "proxy" || (described !== undefined && isOfFolder(described, folder) === "yes")) yield reference;
    }
  }
}
