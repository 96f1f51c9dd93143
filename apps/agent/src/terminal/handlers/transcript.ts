import { readTranscript, showChanges } from "../../workspace/read-transcript.ts";
import { refreshStatus } from "../read-status.ts";
import type { EffectOf } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";

/** Shows the whole conversation on a screen of its own. */
export async function openTranscript(
  { session }: Pick<Running, "session">,
  _: EffectOf<"open-transcript">,
  ports: TranscriptPorts,
): Promise<void> {
  await showTranscript(session, ports);
}

export async function closeTranscript(
  _: Running,
  __: EffectOf<"close-transcript">,
  { drawing }: HandlerPorts,
): Promise<void> {
  await drawing.show("conversation");
}

/** Undoes a compaction, and shows the conversation again. */
export async function undoCompaction(
  { agent, session }: Running,
  { boundary }: EffectOf<"undo">,
  ports: HandlerPorts,
): Promise<void> {
  const tokens = (): string => session.view.size().tokens.toLocaleString("en-US");
  const before = tokens();
  await session.history.restore(boundary, "undone in the transcript");
  await showTranscript(session, ports, `Compaction undone: ${before} -> ${tokens()} tokens.`);
  await refreshStatus(agent, ports.emit);
}

type TranscriptPorts = Pick<HandlerPorts, "project" | "emit" | "drawing">;

/** @param lastLine what was done. @default nothing */
async function showTranscript(
  { id }: Pick<Running["session"], "id">,
  { project, emit, drawing }: TranscriptPorts,
  lastLine?: string,
): Promise<void> {
  const log = (await project.store.openReader(id))!;
  const entries = await showChanges(await readTranscript(log));
  emit({ kind: "transcript-read", entries, said: lastLine });
  await drawing.show("transcript");
}
