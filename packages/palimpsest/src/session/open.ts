// Opens a session: checks the options, opens the log, and writes the first entries.

import { InvalidOptionError, SessionLostError } from "../errors.ts";
import { readPayload, toDraft } from "../log/draft.ts";
import { headAttachment, headText } from "../log/messages.ts";
import { type ForkBase, type Opening, openCore, type SessionCore, startContents } from "../state/core.ts";
import { cachedReader, OPENING, openWriter } from "../state/log.ts";
import type { SessionOptions } from "../state/options.ts";
import { checkSettingsOptions } from "../state/settings.ts";
import type { EntryBatch, Store } from "../stores/store.ts";
import { configure } from "./configure.ts";
import { checkSessionOptions, face } from "./face.ts";
import { LiveSession } from "./live-session.ts";
import type { Session } from "./session.ts";

/** Opens the session with the given id, or starts a new one. */
export async function openSession<Request, Response, Message>(
  options: SessionOptions<Request, Response, Message>,
): Promise<Session<Request, Response>> {
  checkSessionOptions(options);
  const { store, id = crypto.randomUUID(), maxOutputTokens = 1 } = options;
  if (!(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw new InvalidOptionError("maxOutputTokens", maxOutputTokens, "a whole number above 0");
  }
  checkSettingsOptions(options);
  const { writer, ...log } = await openWriter(store, id, options);
  try {
    const opened = log.opened ?? (await writer.readBatch(OPENING));
    const base = await findBase(store, id, opened);
    return face(await open(id, options, { writer, opened, base }));
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Finds the log that a fork continues. Undefined if the session is not a fork. */
async function findBase(
  store: Store,
  session: string,
  { entries: [first] }: EntryBatch,
): Promise<ForkBase | undefined> {
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return undefined;
  const { session: parent, sequence, hash } = read.payload;
  // Read the same entries as if the parent were opened and its log ended there.
  const options = { ...OPENING, upTo: sequence, ranges: [...OPENING.ranges, { from: sequence, to: sequence }] };
  const opened = await store.openReader(parent, { read: options });
  const reader = opened && cachedReader(opened, options, opened.batch ?? (await opened.readBatch(options)));
  const [entry] = reader === undefined ? [] : await reader.read(sequence, sequence);
  if (reader === undefined || entry?.hash !== hash) {
    throw new SessionLostError(
      session,
      `it is a fork of session ${parent} at entry ${sequence}, and that entry does not exist`,
    );
  }
  return { reader, sequence, fork: read.payload };
}

async function open(id: string, options: SessionOptions, opening: Opening): Promise<LiveSession> {
  const core = await openCore(id, options, opening);
  const live = new LiveSession(core, async (fork) => {
    const opened = await open(fork.id, optionsOfFork(core), fork);
    return { session: face(opened), outlet: opened.outlet };
  });
  await begin(live);
  return live;
}

/** A fork has the options of its parent, except the configuration, which is in the log of the parent. */
function optionsOfFork({ options, ports, state }: SessionCore): SessionOptions {
  const { system: _, tools: __, parameters: ___, ...rest } = options;
  return { ...rest, clock: ports.clock, model: state.configuration.model };
}

/** Writes the first entries: the fork's origin, the configuration, the host's head, and the content of hooks. */
async function begin(live: LiveSession): Promise<void> {
  const { id, options, state, ports, fork, inlet } = live;
  const source = state.newestEntry === 0 ? (options.startedBy ?? "startup") : "resume";
  await state.inOrder(async () => {
    if (fork !== undefined && state.newestEntry === fork.base.sequence)
      await state.append([toDraft("fork", fork.base.fork)]);
    await configure(live, options);
    const head = source === "resume" ? undefined : await ports.host.head?.();
    if (head !== undefined && headText(head).trim() !== "") await inlet.append([headAttachment(head)]);
  });
  // Hooks run for sessions that the host opens, not for their forks.
  if (fork !== undefined) return;
  const results = await ports.runHooks("SessionStart", { sessionId: id, source });
  const started = startContents(results, live.measures.budget().windowTokens);
  if (started.length > 0) await state.inOrder(() => inlet.append(started));
}
