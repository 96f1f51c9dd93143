import type { ModelFacts } from "../../providers/models.ts";
import type { Contents } from "../../state/ports.ts";
import type { SessionState } from "../../state/state.ts";
import { sha256 } from "../../stores/sha256.ts";
import type { Decisions } from "../decisions.ts";
import type { WantedConfiguration } from "../wanted-configuration.ts";
import { type Alignment, align } from "./align.ts";
import { appendList } from "./append-list.ts";
import { readConversation, readConversationBack } from "./conversation.ts";
import { divideSteps } from "./divide-steps.ts";
import { findEdited } from "./find-edited.ts";
import { findPruned } from "./find-pruned.ts";
import { findTrimmed } from "./find-trimmed.ts";
import { leadingSystem } from "./leading-system.ts";
import { listGroups } from "./list-groups.ts";
import { newContents } from "./new-contents.ts";
import type { Synced, SyncMessage } from "./sync-message.ts";

export interface SyncContext {
  readonly state: SessionState;
  readonly contents: Contents;
  readonly factsOf: (model: string) => ModelFacts;
  readonly decisions: Pick<Decisions, "rewind">;
  readonly configure: (wanted: WantedConfiguration) => Promise<void>;
}

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

/**
 * Adopts a framework's whole list of messages: appends what is new, and goes back where something was edited. A list that
 * goes on from the last one costs what is new; any other is compared with the log from its beginning.
 */
export function createSync({ state, contents, factsOf, decisions, configure }: SyncContext) {
  let known: Known | undefined;

  async function newestRewind(): Promise<number> {
    return (await state.log.newest("rewind"))?.sequence ?? 0;
  }

  return async function sync(messages: readonly SyncMessage[]): Promise<Synced> {
    const digests = messages.map(({ role, content }) => sha256(JSON.stringify([role, content])));
    const system = leadingSystem(messages);
    const before = known !== undefined && (await goesOn(known, digests)) ? known : undefined;
    known = undefined;
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
    if (rewoundTo !== undefined) await decisions.rewind(rewoundTo, "the list of messages was edited");
    if (system.length > 0) await configure({ system: system.join("\n\n") });
    const appended = await appendList(newContents(plan.fresh, state.newestEntry + 1), { state, contents, factsOf });

    const head = trimmed === undefined ? (before?.head ?? "whole") : "trimmed";
    const altered = [...(before?.altered ?? []), ...plan.altered];
    const edited = [...(before?.edited ?? []), ...(await findEdited(log, plan.altered))];
    const pruned = [...(before?.pruned ?? []), ...(found?.entries ?? [])];
    known = { digests, upTo: state.newestEntry, rewind: await newestRewind(), altered, edited, head, pruned };
    const kept = messages.length - new Set(plan.fresh.map(({ of }) => of)).size;
    return { kept, appended, ...(rewoundTo === undefined ? {} : { rewoundTo }), altered, edited, head, pruned };
  };

  async function goesOn({ digests, rewind }: Known, list: readonly string[]): Promise<boolean> {
    return digests.every((digest, index) => list[index] === digest) && (await newestRewind()) === rewind;
  }
}
