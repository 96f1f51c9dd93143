import { createThread } from "../../import/create-thread.ts";
import type { RecordedResponse, RecordedStep } from "../../import/gather-responses.ts";
import type { RecordedAgent, RecordedCompaction, RecordedMessage, RecordedUsage } from "../../import/recorded.ts";
import type { CacheTtl } from "../../log/payload.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { KnownModel } from "../../providers/known-model.ts";
import { estimateTokens } from "../../tokens/calibration.ts";
import { addFeatures, featuresOf, NO_FEATURES } from "../../tokens/features.ts";
import { sizeTokens } from "../../view/view.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { createDecisions } from "../decisions.ts";
import { describeNext } from "../describe-next.ts";
import { attachment, notice } from "../messages.ts";
import type { SessionState } from "../session-state.ts";
import { toContents } from "../to-contents.ts";
import { wholeTokens } from "../whole-tokens.ts";
import { planRecordedFold } from "./plan-recorded-fold.ts";
import { toLogBlocks, toOrigin } from "./to-log-blocks.ts";

export interface StepWriterOptions {
  readonly state: SessionState;
  readonly agent: RecordedAgent;
  readonly modelOf: (model: string) => KnownModel;
  /** Sets the time of what is written next. */
  readonly setTime: (atMs: number) => void;
}

/** Writes a recorded session into a log, step by step, as if it had happened here: requests, responses, decisions. */
export interface StepWriter {
  write(step: RecordedStep): Promise<void>;
  /** Writes what waits for something that did not come. */
  finish(): Promise<void>;
}

/** Whose usage it is that has no place in the conversation. */
const SUBAGENT = "subagent";

export function createStepWriter({ state, agent, modelOf, setTime }: StepWriterOptions): StepWriter {
  const thread = createThread();
  /** Steps from before the first response: only that tells the model. */
  let waiting: RecordedStep[] | undefined = [];
  /** A compaction whose summary may follow. */
  let folding: RecordedCompaction | undefined;
  let cacheTtl: CacheTtl = "5m";

  async function configure(model: string, system?: string): Promise<void> {
    const { provider } = modelOf(model);
    const wanted = { model, provider, ...(system === undefined ? {} : { system }) };
    const payload = changeConfiguration(state.view.configuration, wanted);
    if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
  }

  async function begin(model: string): Promise<void> {
    const steps = waiting ?? [];
    waiting = undefined;
    const [first] = steps.filter((step) => step.kind !== "damage");
    const system = first?.kind === "message" && first.role === "system" ? first : undefined;
    setTime(first !== undefined && "atMs" in first ? first.atMs : 0);
    await configure(model, system && textOf(system));
    for (const step of steps) if (step !== system) await act(step);
  }

  async function act(step: RecordedStep): Promise<void> {
    if (folding !== undefined) {
      const compaction = folding;
      folding = undefined;
      const isSummary = step.kind === "message" && step.origin === "summary" && step.parentId === compaction.id;
      await fold(compaction, isSummary ? step : undefined);
      if (isSummary) return;
    }
    if (step.kind === "message") await addMessage(step);
    else if (step.kind === "response") await addResponse(step);
    else if (step.kind === "microcompaction") {
      setTime(step.atMs);
      const drafts = step.clearedCallIds.flatMap((callId) => clearing(callId));
      if (drafts.length > 0) await state.append(drafts);
    } else if (step.kind === "compaction") {
      if (step.kept.kind === "replacement") await fold(step, undefined);
      else folding = step;
    }
  }

  async function addMessage(message: RecordedMessage): Promise<void> {
    const { role, origin, blocks, atMs } = message;
    const back = origin === "human" ? thread.findRewind(message) : undefined;
    setTime(atMs);
    if (back !== undefined && back < state.newestEntry) await decisions().rewind(Math.max(1, back), `back in ${agent}`);
    if (blocks.length === 0) return;
    const isSaid = blocks.some(({ kind }) => kind !== "opaque") && !(role === "assistant" && origin === "agent");
    const contents =
      role === "system"
        ? [attachment("instructions", textOf(message))]
        : isSaid
          ? toContents({ role, origin: toOrigin(origin), blocks: toLogBlocks(blocks, agent) })
          : // What the model was shown of it is not recorded, or was nothing.
            [notice(textOf(message))];
    const drafts = contents.map((one) => ("role" in one ? toDraft("message", one) : toDraft("attachment", one)));
    const entries = await state.append(drafts);
    entries.forEach((entry, index) => {
      const part = contents[index]!;
      const ids =
        "role" in part ? part.blocks.flatMap((block) => (block.kind === "tool_result" ? block.callId : [])) : [];
      thread.note(entry, {
        ...message,
        blocks: blocks.filter((b) => b.kind === "tool_result" && ids.includes(b.callId)),
      });
    });
  }

  async function addResponse(response: RecordedResponse): Promise<void> {
    const { branch, usage, messages } = response;
    if (branch === "sidechain") {
      if (usage !== undefined) await addSubagentUsage(usage);
      return;
    }
    const model = response.model ?? state.configuration.model;
    const { provider, facts, cacheEffects } = modelOf(model);
    const blocks = toLogBlocks(
      messages.flatMap((message) => message.blocks),
      agent,
    );
    const said = {
      role: "assistant",
      origin: "model",
      blocks,
      responseId: response.responseId,
      model,
      provider,
    } as const;
    // What was copied from another session was paid for there.
    if (branch === "inherited") {
      setTime(response.atMs);
      if (blocks.length > 0) note(messages, (await state.append([toDraft("message", said)]))[0]!);
      return;
    }
    setTime(response.sentAtMs);
    await configure(model);
    if ((usage?.cacheWrite1hTokens ?? 0) > 0) cacheTtl = "1h";
    else if ((usage?.cacheWriteTokens ?? 0) > 0) cacheTtl = "5m";
    const { log, view, ledger, configuration } = state;
    const { cache } = await describeNext({
      ...{ log, view, ledger, configuration, facts, cacheTtl, asked: {} },
      provider: { name: provider, ...(cacheEffects === undefined ? {} : { cacheEffects }) },
    });
    const asked = { maxTokens: facts.maxOutputTokens, estimatedTokens: sizeTokens(view), cacheTtl, cache };
    const [answers] = await state.append([toDraft("request", asked)]);
    setTime(response.atMs);
    const entries = await state.append([
      ...(blocks.length === 0 ? [] : [toDraft("message", { ...said, answers: answers! })]),
      ...(usage === undefined ? [] : [toDraft("usage", { ...toUsage(usage, blocks), model, answers: answers! })]),
    ]);
    if (blocks.length > 0) note(messages, entries[0]!);
  }

  function note(messages: readonly RecordedMessage[], entry: number): void {
    for (const message of messages) thread.note(entry, message);
  }

  async function addSubagentUsage(usage: RecordedUsage): Promise<void> {
    const model = usage.model ?? state.configuration.model;
    const { prices } = modelOf(model).facts;
    setTime(usage.atMs);
    const about = { source: SUBAGENT, madeAtMs: usage.atMs, ...(prices === undefined ? {} : { prices }) };
    await state.append([toDraft("usage", { ...toUsage(usage, []), model, ...about })]);
  }

  /** Counts from before the end of a response are as good as none: what it said is counted instead. */
  function toUsage(usage: RecordedUsage, blocks: ReturnType<typeof toLogBlocks>) {
    const {
      responseId,
      freshTokens,
      cacheReadTokens,
      cacheWriteTokens = 0,
      cacheWrite1hTokens,
      reasoningTokens,
    } = usage;
    const said = blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block)), NO_FEATURES);
    const estimate = usage.outputCount === "final" ? 0 : estimateTokens(state.view.calibration, said);
    return wholeTokens({
      ...{ responseId, freshTokens, cacheReadTokens, cacheWriteTokens },
      outputTokens: Math.max(usage.outputTokens, estimate),
      ...(cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens }),
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    });
  }

  function clearing(callId: string) {
    const entry = thread.resultOf(callId);
    if (entry === undefined) return [];
    const stub = { kind: "tool_result", callId, content: `[cleared by ${agent}]`, status: "ok" } as const;
    const with_ = [{ role: "user", origin: "host", blocks: [stub] } as const];
    return [toDraft("replace", { from: entry, to: entry, with: with_, reason: `cleared by ${agent}` })];
  }

  async function fold(compaction: RecordedCompaction, summary: RecordedMessage | undefined): Promise<void> {
    setTime(compaction.atMs);
    const plan = planRecordedFold({ compaction, summary, items: state.view.items, thread, agent });
    if (plan !== undefined) await decisions().fold(plan);
    else if (summary !== undefined) await addMessage(summary);
    thread.pass(state.newestEntry, compaction);
    if (summary !== undefined) thread.note(state.newestEntry, summary);
  }

  const decisions = () => createDecisions({ state, provider: state.configuration.provider });

  return {
    async write(step) {
      if (waiting === undefined) return act(step);
      if (step.kind === "response" && step.branch !== "sidechain") {
        await begin(step.model ?? "unknown");
        return act(step);
      }
      if (step.kind !== "session") waiting.push(step);
    },
    async finish() {
      if (waiting !== undefined && waiting.length > 0) await begin("unknown");
      if (folding !== undefined) await fold(folding, undefined);
    },
  };
}

/** As it stands in the record, for what has no other form here. */
function textOf({ blocks }: RecordedMessage): string {
  return blocks
    .map((block) =>
      block.kind === "text" ? block.text : "value" in block ? `${block.type} ${JSON.stringify(block.value)}` : "",
    )
    .join("\n");
}
