import { InvalidOptionError, SessionLostError } from "../errors.ts";
import { readPayload, toDraft } from "../log/draft.ts";

import { headAttachment, headText } from "../log/messages.ts";

import { type ForkBase, type Opening, openContext, type SessionContext, startContents } from "../state/context.ts";
import { knownReader, OPENING, openWriter } from "../state/log.ts";
import type { SessionOptions } from "../state/options.ts";
import type { Requests } from "../state/ports.ts";
import { checkSettingsOptions } from "../state/settings.ts";
import type { EntryBatch, Store } from "../stores/store.ts";
import { checkArguments, checkSessionOptions } from "./check-arguments.ts";
import { configure } from "./configure.ts";
import { assembleSession, createParts, type SessionParts } from "./live-session.ts";

import type { Session } from "./session.ts";

/** Opens a session, or begins one. */
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
    const { session } = await openWith(id, options, { writer, opened, base });
    // What a provider renders and reads is unknown to the engine. Only here, where a user holds the session, it has types.
    return session as Session<Request, Response>;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openWith(
  id: string,
  options: SessionOptions,
  opening: Opening,
): Promise<{ readonly session: Session<unknown, unknown>; readonly requests: Requests }> {
  const context = await openContext(id, options, opening);
  const parts = createParts(context, (fork) => openWith(fork.id, optionsOfFork(context), fork));
  await begin(context, parts);
  return { session: checkArguments(assembleSession(context, parts)), requests: parts.requests };
}

/** A fork is opened as its parent was; what stands before the messages it has from the parent's log. */
function optionsOfFork({ options, clock, state }: SessionContext): SessionOptions {
  const { system: _, tools: __, parameters: ___, ...rest } = options;
  return { ...rest, clock, model: state.configuration.model };
}

/** What a session begins with: where it parts from another, its configuration, the host's head, what hooks have to say. */
async function begin(
  context: SessionContext,
  { contents, requests }: Pick<SessionParts, "contents" | "requests">,
): Promise<void> {
  const { session, options, state, surroundings, base, runHooks } = context;
  const source = state.newestEntry === 0 ? (options.startedBy ?? "startup") : "resume";
  await state.inOrder(async () => {
    if (base !== undefined && state.newestEntry === base.sequence) await state.append([toDraft("fork", base.fork)]);
    await configure(context, options);
    const head = source === "resume" ? undefined : await surroundings.head?.();
    if (head !== undefined && headText(head).trim() !== "") await contents.append([headAttachment(head)]);
  });
  // A fork is no session of its own to those who are told of beginnings and ends.
  if (base !== undefined) return;
  const said = await runHooks("SessionStart", { sessionId: session, source });
  const started = startContents(said, requests.budget().windowTokens);
  if (started.length > 0) await state.inOrder(() => contents.append(started));
}

/** What a fork's log continues; undefined if it is no fork's. */
async function findBase(
  store: Store,
  session: string,
  { entries: [first] }: EntryBatch,
): Promise<ForkBase | undefined> {
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return undefined;
  const { session: parent, sequence, hash } = read.payload;
  // As the parent's opening would, had it ended there.
  const asked = { ...OPENING, upTo: sequence, ranges: [...OPENING.ranges, { from: sequence, to: sequence }] };
  const opened = await store.openReader(parent, { read: asked });
  const reader = opened && knownReader(opened, asked, opened.batch ?? (await opened.readBatch(asked)));
  const [entry] = reader === undefined ? [] : await reader.read(sequence, sequence);
  if (reader === undefined || entry?.hash !== hash) {
    throw new SessionLostError(session, `it is a fork of session ${parent} at entry ${sequence}, which is not there`);
  }
  return { reader, sequence, fork: read.payload };
}
