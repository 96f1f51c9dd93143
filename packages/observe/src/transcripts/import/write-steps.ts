import { attachment, notice } from "palimpsest";
import type { ReplacePayload, SessionRecorder } from "palimpsest/inspect";
import type { KnownModel, MessagePayload } from "palimpsest/provider-parts";

import { createThread } from "../readers/create-thread.ts";
import type { RecordedResponse, RecordedStep } from "../readers/gather-responses.ts";
import type { RecordedAgent, RecordedCompaction, RecordedMessage, RecordedUsage } from "../readers/recorded.ts";
import { planRecordedCompaction } from "./plan-recorded-compaction.ts";
import { importedFrom, toLogBlocks, toMessage } from "./to-log-blocks.ts";

export interface StepWriterOptions {
  readonly recorder: SessionRecorder;
  readonly agent: RecordedAgent;
  readonly modelOf: (model: string) => KnownModel;
}

/** Writes a recorded session into a log, step by step, as if it had happened here: requests, responses, decisions. */
export interface StepWriter {
  write(step: RecordedStep): Promise<void>;
  /** Writes steps that waited for something that did not come. */
  finish(): Promise<void>;
}

/** The source of usage without a place in the conversation. */
const SUBAGENT = "subagent";

export function createStepWriter({ recorder, agent, modelOf }: StepWriterOptions): StepWriter {
  const thread = createThread();
  /** Steps before the first response, which first names the model. */
  let waiting: RecordedStep[] | undefined = [];
  /** A compaction whose summary may follow. */
  let folding: RecordedCompaction | undefined;
  let cacheTtl: "5m" | "1h" = "5m";

  async function configure(model: string): Promise<void> {
    const { provider } = modelOf(model);
    await recorder.configure({ model, provider, provenance: importedFrom(agent) });
  }

  async function begin(model: string): Promise<void> {
    const steps = waiting ?? [];
    waiting = undefined;
    const [first] = steps.filter((step) => step.kind !== "damage");
    recorder.setTime(first !== undefined && "atMs" in first ? first.atMs : 0);
    await configure(model);
    // The system prompt of another agent is kept for people to read. Here it would speak in our name, so it is never sent.
    const isSystem = first?.kind === "message" && first.role === "system";
    if (isSystem) await recorder.append(notice(`The system prompt of ${agent}:\n${textOf(first)}`));
    for (const step of steps) if (!isSystem || step !== first) await act(step);
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
      recorder.setTime(step.atMs);
      await recorder.replace(...step.clearedCallIds.flatMap((callId) => clearing(callId)));
    } else if (step.kind === "compaction") {
      if (step.kept.kind === "replacement") await fold(step, undefined);
      else folding = step;
    }
  }

  async function addMessage(message: RecordedMessage): Promise<void> {
    const { origin, blocks, atMs } = message;
    const back = origin === "human" ? thread.findRewind(message) : undefined;
    recorder.setTime(atMs);
    if (back !== undefined && back < recorder.newestEntry) {
      await recorder.rewind(Math.max(1, back), `back in ${agent}`);
    }
    if (blocks.length === 0) return;
    for (const { entry, content } of await recorder.append(toContent(message, agent))) {
      const ids =
        "role" in content ? content.blocks.flatMap((block) => (block.kind === "tool_result" ? block.callId : [])) : [];
      thread.note(entry, {
        ...message,
        blocks: blocks.filter((block) => block.kind === "tool_result" && ids.includes(block.callId)),
      });
    }
  }

  async function addResponse(response: RecordedResponse): Promise<void> {
    const { branch, usage, messages, responseId, sentAtMs, atMs } = response;
    if (branch === "sidechain") {
      if (usage !== undefined) await addSubagentUsage(usage);
      return;
    }
    const model = response.model ?? recorder.model;
    const known = modelOf(model);
    const blocks = toLogBlocks(
      messages.flatMap((message) => message.blocks),
      agent,
    );
    const { provider } = known;
    const message: MessagePayload = { role: "assistant", origin: "model", blocks, responseId, model, provider };
    // A response that was copied from another session was paid for there.
    if (branch === "inherited") {
      recorder.setTime(atMs);
      if (blocks.length > 0) note(messages, await recorder.appendInherited(message));
      return;
    }
    recorder.setTime(sentAtMs);
    await configure(model);
    if ((usage?.cacheWrite1hTokens ?? 0) > 0) cacheTtl = "1h";
    else if ((usage?.cacheWriteTokens ?? 0) > 0) cacheTtl = "5m";
    const tokens = usage === undefined ? {} : { usage: toTokens(usage) };
    const entry = await recorder.appendResponse({ sentAtMs, atMs, message, ...tokens, model, known, cacheTtl });
    if (entry !== undefined) note(messages, entry);
  }

  function note(messages: readonly RecordedMessage[], entry: number): void {
    for (const message of messages) thread.note(entry, message);
  }

  async function addSubagentUsage(usage: RecordedUsage): Promise<void> {
    const model = usage.model ?? recorder.model;
    const { atMs } = usage;
    await recorder.enterUsage({ atMs, tokens: toTokens(usage), model, known: modelOf(model), source: SUBAGENT });
  }

  function clearing(callId: string): ReplacePayload[] {
    const entry = thread.resultOf(callId);
    if (entry === undefined) return [];
    const stub = { kind: "tool_result", callId, content: `[cleared by ${agent}]`, status: "ok" } as const;
    const shown = [{ role: "user", origin: "host", blocks: [stub] } as const];
    return [{ from: entry, to: entry, with: shown, reason: `cleared by ${agent}` }];
  }

  async function fold(compaction: RecordedCompaction, summary: RecordedMessage | undefined): Promise<void> {
    recorder.setTime(compaction.atMs);
    const plan = planRecordedCompaction({ compaction, summary, items: recorder.items, thread, agent });
    if (plan !== undefined) await recorder.fold(plan);
    else if (summary !== undefined) await addMessage(summary);
    thread.pass(recorder.newestEntry, compaction);
    if (summary !== undefined) thread.note(recorder.newestEntry, summary);
  }

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

function toContent(message: RecordedMessage, agent: RecordedAgent) {
  const { role, origin, blocks } = message;
  if (role === "system") return attachment("instructions", textOf(message), importedFrom(agent));
  const isSaid = blocks.some(({ kind }) => kind !== "opaque") && !(role === "assistant" && origin === "agent");
  // The record does not say what the model was shown of the others, or it was shown nothing.
  if (!isSaid) return notice(textOf(message));
  return toMessage({ ...message, role }, agent);
}

/** The counts of a recorded usage, without the rest of it. */
function toTokens(usage: RecordedUsage) {
  const { responseId, freshTokens, cacheReadTokens, outputTokens, outputCount } = usage;
  const { cacheWriteTokens = 0, cacheWrite1hTokens, reasoningTokens } = usage;
  return {
    responseId,
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens,
    outputTokens,
    reasoningTokens,
    outputCount,
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
