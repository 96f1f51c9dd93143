import { toDraft } from "../../log/draft.ts";
import type { NewContent } from "../../log/messages.ts";
import type { MessagePayload } from "../../log/payload.ts";
import type { SessionCore } from "../../state/core.ts";
import type { SessionState } from "../../state/state.ts";
import { sha256 } from "../../stores/sha256.ts";
import { sizeTokens } from "../../view/view.ts";
import type { Inlet } from "../append.ts";
import { configure } from "../configure.ts";
import { rewind } from "../decisions.ts";
import { type Alignment, align, findEdited, findPruned, findTrimmed } from "./align.ts";
import {
  divideSteps,
  listGroups,
  newContents,
  readConversation,
  readConversationBack,
  type Synced,
  type SyncMessage,
} from "./conversation.ts";

/** The list of the last sync, so that the next one reads only what came since. */
interface Known {
  readonly digests: readonly string[];
  /** The newest entry, and the newest rewind, when it was synced. */
  readonly upTo: number;
  readonly rewind: number;
  readonly altered: readonly number[];
  readonly edited: readonly number[];
  readonly head: Synced["head"];
  readonly pruned: readonly number[];
}

/** The parts of a session that adopting a list needs. */
interface SyncParts extends SessionCore {
  readonly inlet: Inlet;
}

/**
 * Adopts a framework's whole list of messages: appends new messages, and goes back where a message was edited. A list that
 * continues the previous one costs only its new part. Any other list is compared with the log from its beginning.
 */
export class ListSync {
  readonly #parts: SyncParts;
  #known: Known | undefined;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  async sync(messages: readonly SyncMessage[]): Promise<Synced> {
    const { state } = this.#parts;
    const digests = messages.map(({ role, content }) => sha256(JSON.stringify([role, content])));
    const system = leadingSystem(messages);
    const before = this.#known !== undefined && (await this.#continues(this.#known, digests)) ? this.#known : undefined;
    this.#known = undefined;
    const from = Math.max(system.length, before?.digests.length ?? 0);
    const { log, newestEntry } = state;
    const read = () => readConversation(log, newestEntry, before?.upTo);
    const given = listGroups(messages, from);
    const first = await align(given, read());
    const groups = first.cutAt === undefined ? given : await divideSteps(given, read());
    const plain = groups === given ? first : await align(groups, read());
    const found = plain.cutAt === undefined ? undefined : await findPruned(groups, read(), plain.cutAt);
    const aligned = found?.plan ?? plain;
    const isHeadOther = before === undefined && aligned.cutAt !== undefined && aligned.groups === 0;
    const trimmed = isHeadOther ? await findTrimmed(groups, readConversationBack(log, newestEntry)) : undefined;
    const plan: Alignment = trimmed === undefined ? aligned : { fresh: trimmed, altered: [], groups: 0 };

    const rewoundTo = plan.cutAt === undefined ? undefined : plan.cutAt - 1;
    if (rewoundTo !== undefined) await rewind(this.#parts, rewoundTo, "the list of messages was edited");
    if (system.length > 0) await configure(this.#parts, { system: system.join("\n\n") });
    const appended = await appendList(newContents(plan.fresh, state.newestEntry + 1), this.#parts);

    const head = trimmed === undefined ? (before?.head ?? "whole") : "trimmed";
    const altered = [...(before?.altered ?? []), ...plan.altered];
    const edited = [...(before?.edited ?? []), ...(await findEdited(log, plan.altered))];
    const pruned = [...(before?.pruned ?? []), ...(found?.entries ?? [])];
    const rewinds = await this.#newestRewind();
    this.#known = { digests, upTo: state.newestEntry, rewind: rewinds, altered, edited, head, pruned };
    const kept = messages.length - new Set(plan.fresh.map(({ of }) => of)).size;
    return { kept, appended, rewoundTo, altered, edited, head, pruned };
  }

  async #continues({ digests, rewind }: Known, list: readonly string[]): Promise<boolean> {
    return digests.every((digest, index) => list[index] === digest) && (await this.#newestRewind()) === rewind;
  }

  async #newestRewind(): Promise<number> {
    return (await this.#parts.state.log.newest("rewind"))?.sequence ?? 0;
  }
}

/**
 * Appends content of a list. An answer behind the results of calls answers a request that somebody else has made: it is entered
 * as one, because what lies between two requests is sent as one message of the model and one of the user.
 */
async function appendList(list: readonly NewContent[], { state, inlet, ports }: SyncParts): Promise<readonly number[]> {
  const appended: number[] = [];
  for (const batch of rounds(list)) {
    const [first, ...rest] = batch as readonly [NewContent, ...NewContent[]];
    if (!isAnswer(first) || !endsWithResult(state)) {
      appended.push(...(await inlet.append(batch)));
      continue;
    }
    const { maxOutputTokens: maxTokens } = ports.facts.of(state.configuration.model);
    const request = toDraft("request", { maxTokens, estimatedTokens: sizeTokens(state.view) });
    const answer: MessagePayload = { ...first, answers: state.newestEntry + 1 };
    appended.push(...(await inlet.append([answer, ...rest], [request])));
  }
  return appended;
}

/** The list in pieces: a new one begins with each answer behind a result. */
function rounds(list: readonly NewContent[]): readonly (readonly NewContent[])[] {
  const pieces: NewContent[][] = [];
  for (const [index, content] of list.entries()) {
    const before = list[index - 1];
    if (before === undefined || (isAnswer(content) && isResult(before))) pieces.push([content]);
    else pieces.at(-1)!.push(content);
  }
  return pieces;
}

function isAnswer(content: NewContent): content is MessagePayload {
  return typeof content === "object" && "role" in content && content.role === "assistant";
}

function isResult(content: NewContent): boolean {
  return typeof content === "object" && "role" in content && content.origin === "tool";
}

function endsWithResult({ view: { items } }: SessionState): boolean {
  const last = items.at(-1);
  return last?.kind === "message" && last.blocks.some(({ kind }) => kind === "tool_result");
}

/** The texts of the system messages that a list begins with: together they are the system prompt. */
export function leadingSystem(messages: readonly SyncMessage[]): readonly string[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, first < 0 ? messages.length : first).map(({ content }) => textOf(content));
}

function textOf(content: SyncMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
}
