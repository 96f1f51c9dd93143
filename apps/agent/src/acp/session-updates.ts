// Converts the events of a session to updates for the editor.
import { randomUUID } from "node:crypto";
import type { ClientCapabilities, PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { QueryEvent, SessionEvent, ToolCall } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { OUTCOME_UNKNOWN, type ReportedEvent } from "../commands/stream/turn-report.ts";
import type { Notice } from "../commands/text/notice.ts";
import { noticeOf } from "../commands/text/notice-text.ts";
import { retryWords } from "../commands/text/provider-words.ts";
import { TODO } from "../extensions/todos/todos-extension.ts";
import type { WatchedResult } from "../terminal/watch-tools.ts";
import { describeCall, diffContent, textContent } from "./describe-call.ts";

interface UpdatePorts {
  /** Sends an update. Resolves when the connection accepts more. */
  send(update: SessionUpdate): Promise<void>;
  /** Writes a log line for content that the editor cannot show. */
  log(text: string): void;
  readonly capabilities: ClientCapabilities;
  readonly folder: string;
}

/** Converts the events of a session to updates for the editor. */
interface SessionUpdates {
  event(event: ReportedEvent): Promise<void>;
  /** Announces a tool call, once. All updates and questions about a call come after its announcement. */
  announce(call: ToolCall): void;
  /** Sends output of a running command. */
  output(callId: string, text: string): void;
  /** Stores the result of a call, which is shown when the call ends. */
  result(callId: string, result: WatchedResult): void;
  /** Sends a message of the program itself. */
  notice(notice: Notice): Promise<void>;
  /** Sends text as a separate message. */
  message(text: string): Promise<void>;
}

/** The limit of a command's output, to protect editors and this process's memory. */
const MOST_OUTPUT_CHARACTERS = 200_000;

export function createUpdates({ send, log, capabilities, folder }: UpdatePorts): SessionUpdates {
  const announced = new Set<string>();
  const results = new Map<string, WatchedResult>();
  const shownOnce = new Set<string>();
  /** How many characters of each running command were sent. */
  const outputs = new Map<string, number>();
  /**
   * Whether the editor shows output of commands that the agent runs itself. The agent's sandbox encloses these
   * commands.
   */
  const hasTerminals = capabilities._meta?.["terminal_output"] === true;
  let messageId = randomUUID();
  let streamed: "nothing" | "text" = "nothing";

  const isTerminal = (name: string): boolean => hasTerminals && name === "Bash";
  const terminalContent = (callId: string): ToolCallContent[] => [{ type: "terminal", terminalId: callId }];

  function announce(call: ToolCall): void {
    if (announced.has(call.id) || call.name === TODO) return;
    announced.add(call.id);
    const terminal = isTerminal(call.name)
      ? { content: terminalContent(call.id), _meta: { terminal_info: { terminal_id: call.id, cwd: folder } } }
      : {};
    const described = describeCall(call.name, call.input, folder);
    void send({ sessionUpdate: "tool_call", toolCallId: call.id, status: "pending", ...described, ...terminal });
  }

  async function say(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): Promise<void> {
    if (text !== "") await send({ sessionUpdate: kind, content: { type: "text", text: sanitize(text) }, messageId });
  }

  async function message(text: string): Promise<void> {
    messageId = randomUUID();
    await say("agent_message_chunk", text);
    messageId = randomUUID();
  }

  async function notice({ text, weight, once }: Notice): Promise<void> {
    if (once !== undefined && shownOnce.has(once)) return;
    if (once !== undefined) shownOnce.add(once);
    if (capabilities.session?.notices != null) {
      return send({ sessionUpdate: "notice", severity: weight === "problem" ? "warning" : "info", title: text });
    }
    if (weight === "problem") await message(`> ${text.replaceAll("\n", "\n> ")}\n\n`);
    else log(text);
  }

  async function startTool({ call, input }: EventOf<"tool-started">): Promise<void> {
    if (call.name === TODO) return send(toPlan(input));
    announce(call);
    const shown = isTerminal(call.name) ? { content: terminalContent(call.id) } : {};
    await send({
      sessionUpdate: "tool_call_update",
      toolCallId: call.id,
      status: "in_progress",
      rawInput: input,
      ...shown,
    });
  }

  async function endTool(event: EventOf<"tool-ended">): Promise<void> {
    const { call, status, how } = event;
    if (call.name === TODO) return;
    announce(call);
    const result = results.get(call.id);
    results.delete(call.id);
    outputs.delete(call.id);
    const content = contentOf(event, result);
    const exit = { terminal_id: call.id, exit_code: status === "ok" ? 0 : 1, signal: null };
    await send({
      sessionUpdate: "tool_call_update",
      toolCallId: call.id,
      status: status === "ok" ? "completed" : "failed",
      content,
      ...(isTerminal(call.name) ? { _meta: { terminal_exit: exit } } : {}),
      ...(how === "ran" ? {} : { rawOutput: { how } }),
    });
  }

  function contentOf(event: EventOf<"tool-ended">, result: WatchedResult | undefined): ToolCallContent[] | undefined {
    const { call, status, how } = event;
    if (result?.change !== undefined && status === "ok") return [diffContent(result.change, folder)];
    // The output of the command stays in view.
    if (isTerminal(call.name) && result !== undefined) return undefined;
    if (result !== undefined) return result.text === "" ? undefined : [textContent(sanitize(result.text))];
    if (how === "ran") return undefined;
    return [textContent(how === "unknown" ? OUTCOME_UNKNOWN : `The tool did not run: ${how}.`)];
  }

  async function sessionEvent(event: SessionEvent, owner: Parameters<typeof noticeOf>[2]): Promise<void> {
    const isOwn = owner === undefined;
    if (isOwn && (event.kind === "compaction-started" || event.kind === "compaction-ended")) {
      if (capabilities.session?.compaction != null) return send(toCompaction(event));
      // A compaction is always shown, because it changes what the model sees.
      const shown = noticeOf(event, "terminal");
      return shown === undefined ? undefined : notice({ ...shown, weight: "problem" });
    }
    const found = noticeOf(event, "terminal", owner);
    if (found !== undefined) await notice(found);
  }

  return {
    announce,
    notice,
    message,
    output(callId, text) {
      const left = MOST_OUTPUT_CHARACTERS - (outputs.get(callId) ?? 0);
      if (!hasTerminals || left <= 0) return;
      outputs.set(callId, (outputs.get(callId) ?? 0) + text.length);
      const shown = sanitize(text.slice(0, left).toWellFormed());
      const data = text.length < left ? shown : `${shown}\n[The editor is shown no more of this output.]\n`;
      const _meta = { terminal_output: { terminal_id: callId, data } };
      void send({ sessionUpdate: "tool_call_update", toolCallId: callId, _meta });
    },
    result: (callId, result) => void results.set(callId, result),
    async event(event) {
      switch (event.kind) {
        case "request-started":
          messageId = randomUUID();
          streamed = "nothing";
          return;
        case "text":
          streamed = "text";
          return say("agent_message_chunk", event.text);
        case "thinking":
          return say("agent_thought_chunk", event.text);
        case "response":
          if (streamed === "nothing") await say("agent_message_chunk", event.response.text);
          for (const call of event.response.calls) announce(call);
          return;
        case "retry-waiting":
          if (streamed === "text")
            await message("\n\n> The connection broke here. The model starts its answer again.\n\n");
          return notice({ text: retryWords(event), weight: "news" });
        case "request-waiting":
          return notice({ text: event.message, weight: "news" });
        case "tool-started":
          return startTool(event);
        case "tool-ended":
          return endTool(event);
        case "notice":
          return notice({ text: event.text, weight: "problem" });
        case "session-event":
          return sessionEvent(event.event, event.owner);
        default:
          return;
      }
    },
  };
}

type EventOf<Kind extends QueryEvent["kind"]> = Extract<QueryEvent, { readonly kind: Kind }>;
type CompactionEvent = Extract<SessionEvent, { readonly kind: "compaction-started" | "compaction-ended" }>;

/** Converts a compaction event for an editor that supports it. */
function toCompaction(event: CompactionEvent): SessionUpdate {
  const common = { sessionUpdate: "compaction_update", compactionId: event.compaction } as const;
  if (event.kind === "compaction-started") return { ...common, status: "in_progress" };
  const { outcome } = event;
  if (outcome.kind !== "compacted") {
    const isStopped = outcome.kind === "declined" || outcome.failure === "aborted";
    return { ...common, status: isStopped ? "cancelled" : "failed", error: outcome.why };
  }
  const { tokensBefore, tokensAfter } = outcome;
  return {
    ...common,
    status: "completed",
    summary: [{ type: "text", text: outcome.text }],
    _meta: { palimpsest: { tokensBefore, tokensAfter } },
  };
}

const STATES: Readonly<Record<string, PlanEntry["status"]>> = {
  open: "pending",
  doing: "in_progress",
  done: "completed",
};

/** Converts a call of Todo to a plan. Both always contain the whole list. */
export function toPlan(input: unknown): SessionUpdate {
  const { todos } = (input ?? {}) as { readonly todos?: unknown };
  const list = Array.isArray(todos)
    ? (todos as readonly { readonly content?: unknown; readonly state?: unknown }[])
    : [];
  return {
    sessionUpdate: "plan",
    entries: list.map(({ content, state }) => ({
      content: String(content),
      priority: "medium",
      status: STATES[String(state)] ?? "pending",
    })),
  };
}
