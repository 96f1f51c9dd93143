import { readPayload } from "../../log/draft.ts";
import { user } from "../../log/messages.ts";
import type { Provenance } from "../../log/provenance.ts";
import { namedKind, toNamedDraft } from "../../log/to-draft.ts";
import type { Contents } from "../../state/ports.ts";
import type { SessionState } from "../../state/state.ts";
import { sha256 } from "../../stores/sha256.ts";
import { isOnBranch } from "../branch-ranges.ts";
import { type NewContent, toContents } from "../to-contents.ts";
import { openingOf } from "../turn/turn-drafts.ts";

export interface AppendOptions {
  /**
   * Names this append: a second one with the same key appends nothing and resolves to the entry numbers of the first, also
   * after a crash or in another process. There is no limit to the number of keys. An append that a rewind has taken back does
   * not count. @default every append appends
   */
  readonly key?: string;
  /**
   * Where the text comes from, for content that does not say it: `{ kind: "outside", name: "standard input" }` for what
   * somebody else wrote. The model sees it as data. @default a string and `user()` are the user's words, an attachment is "outside"
   */
  readonly provenance?: Provenance;
  /**
   * `wanted`: the model is to answer this content, even if it is an attachment. `session.turn.next()` then says so until it has.
   * @default messages of the user and of the host are answered, attachments and command outputs are not
   */
  readonly answer?: "wanted";
}

/** Appends content, unless its key was used before on this branch. Costs a seek, whatever the length of the log. */
export async function appendOnce(
  state: SessionState,
  contents: Contents,
  content: NewContent | readonly NewContent[],
  { key, provenance, answer }: AppendOptions = {},
): Promise<readonly number[]> {
  const given = isList(content) ? content : [content];
  const list = provenance === undefined ? given : given.map((one) => withProvenance(one, provenance));
  const opening = answer === undefined ? [] : openingOf(list);
  if (key === undefined) return contents.append(list, opening);
  const name = sha256(key);
  const before = await findKeyed(state, name);
  if (before !== undefined) return before;
  const entries = list.flatMap(toContents).length;
  return contents.append(list, [...opening, toNamedDraft("key", name, { key, entries })]);
}

/** The entries that were appended under a key; undefined if none were. */
async function findKeyed({ log, newestEntry }: SessionState, name: string): Promise<readonly number[] | undefined> {
  const entry = await log.newest(namedKind("key", name));
  const read = entry && readPayload(entry);
  if (read?.kind !== "key" || !(await isOnBranch(log, read.sequence, newestEntry))) return undefined;
  return Array.from({ length: read.payload.entries }, (_, index) => read.sequence + 1 + index);
}

function withProvenance(content: NewContent, provenance: Provenance): NewContent {
  return { provenance, ...(typeof content === "string" ? user(content) : content) };
}

function isList(content: NewContent | readonly NewContent[]): content is readonly NewContent[] {
  return Array.isArray(content);
}
