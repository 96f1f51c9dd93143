// Adopts a framework's whole list of messages into a session.

import { toDraft } from "../../log/entry.ts";
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
  #previous: PreviousSync | undefined;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  async sync(messages: readonly SyncMessage[]): Promise<Synced> {
    const { state } = this.#parts;
    const digests = messages.map(({ role, content }) => sha256(JSON.stringify([role, content])));
    const system = leadingSystem(messages);
    const before =
      this.#previous !== undefined && (await this.#continues(this.#previous, digests)) ? this.#previous : undefined;
    this.#previous = undefined;
    const from = Math.max(system.length, before?.digests.length ?? 0);
    const { log, newestEntry } = state;
    const read = () => readConversation(log, newestEntry, before?.upTo);
    const list = listGroups(messages, from);
    const first = await align(list, read());
    const groups = first.cutAt === undefined ? list : await divideSteps(list, read());
    const unpruned = groups === list ? first : await align(groups, read());
    const pruning = unpruned.cutAt === undefined ? undefined : await findPruned(groups, read(), unpruned.cutAt);
    const aligned = pruning?.plan ?? unpruned;
    const hasOtherHead = before === undefined && aligned.cutAt !== undefined && aligned.groups === 0;
    const trimmed = hasOtherHead ? await findTrimmed(groups, readConversationBack(log, newestEntry)) : undefined;
    const plan: Alignment = trimmed === undefined ? aligned : { fresh: trimmed, altered: [], groups: 0 };

    const rewoundTo = plan.cutAt === undefined ? undefined : plan.cutAt - 1;
    if (rewoundTo !== undefined) await rewind(this.#parts, rewoundTo, "the list of messages was edited");
    if (system.length > 0) await configure(this.#parts, { system: system.join("\n\n") });
    const appended = await appendList(newContents(plan.fresh, state.newestEntry + 1), this.#parts);

    const head = trimmed === undefined ? (before?.head ?? "whole") : "trimmed";
    const altered = [...(before?.altered ?? []), ...plan.altered];
    const edited = [...(before?.edited ?? []), ...(await findEdited(log, plan.altered))];
    const pruned = [...(before?.pruned ?? []), ...(pruning?.entries ?? [])];
    const rewinds = await this.#newestRewind();
    this.#previous = { digests, upTo: state.newestEntry, rewind: rewinds, altered, edited, head, pruned };
    const kept = messages.length - new Set(plan.fresh.map(({ of }) => of)).size;
    return { kept, appended, rewoundTo, altered, edited, head, pruned };
  }

  async #continues({ digests, rewind }: PreviousSync, list: readonly string[]): Promise<boolean> {
    return digests.every((digest, index) => list[index] === digest) && (await this.#newestRewind()) === rewind;
  }

  async #newestRewind(): Promise<number> {
    return (await this.#parts.state.log.newest("rewind"))?.sequence ?? 0;
  }
}

/** The result of the previous sync, so that the next sync reads only newer entries. */
interface PreviousSync {
  readonly digests: readonly string[];
  /** The newest entry at the time of the sync. */
  readonly upTo: number;
  /** The newest rewind at the time of the sync. */
  readonly rewind: number;
  readonly altered: readonly number[];
  readonly edited: readonly number[];
  readonly head: Synced["head"];
  readonly pruned: readonly number[];
}

/** Returns the texts of the leading system messages. Together they are the system prompt. */
export function leadingSystem(messages: readonly SyncMessage[]): readonly string[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, first < 0 ? messages.length : first).map(({ content }) => textOf(content));
}

function textOf(content: SyncMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
}

/**
 * Appends content of a list. Between two requests, all model messages are sent as one, and all messages of the
 * user as one. So an answer that follows tool results gets a separate `request` entry, for the request that another
 * program sent.
 */
async function appendList(list: readonly NewContent[], { state, inlet, ports }: SyncParts): Promise<readonly number[]> {
  const appended: number[] = [];
  for (const batch of splitAtAnswers(list)) {
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

/** Splits a list. Each answer that follows a result begins a new piece. */
function splitAtAnswers(list: readonly NewContent[]): readonly (readonly NewContent[])[] {
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
