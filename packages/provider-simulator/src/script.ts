import type { Fault } from "./faults.ts";

/** The content of a simulated answer, in order, the same for every provider. */
export type Words =
  | {
      readonly kind: "text";
      readonly text: string;
      /** The summary in the text. It is put under the first heading that the prompt asks for, unless it has headings of its own. */
      readonly summary?: string;
    }
  | {
      readonly kind: "thinking";
      readonly text: string;
      /** Redacted thinking comes back as an opaque block. @default "as-asked" */
      readonly display?: "as-asked" | "redacted";
    }
  | {
      readonly kind: "tool-call";
      readonly name: string;
      readonly input: unknown;
      /** Set only to misbehave: otherwise the simulator creates unique ids. */
      readonly id?: string;
      /** Sent instead of the serialized input, to misbehave: it need not be valid JSON. */
      readonly rawInput?: string;
    };

/** Why a response ends. */
export type StopCause = "end" | "tool-call" | "output-limit" | "refusal" | "pause" | "stop-sequence";

/** What the model answers: its words, why it stops, and a fault to inject. */
export interface Reply {
  readonly words: readonly Words[];
  /** @default "tool-call" if there is one among the words, "end" otherwise; "output-limit" if the limit cut them. */
  readonly stop?: StopCause;
  readonly refusal?: { readonly category: string | null; readonly explanation: string | null };
  /** A fault of the call: a refusal before the model answers, or a stream that breaks. */
  readonly fault?: Fault;
}

/** The data from which a script chooses the answer. */
export interface Ask {
  readonly provider: "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini" | "bedrock";
  /**
   * `answer`: the words answer the conversation. `summary`: the request asks for a summary of it, or a question about one.
   * `compaction`: the words become the summary of a compaction by the service.
   */
  readonly purpose: "answer" | "summary" | "compaction";
  /** How many answers this script gave before, faulty ones included; compactions by the service and refused requests are not counted. */
  readonly turn: number;
  /** The request body as received. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly inputTokens: number;
  /** Names of the tools the model may call. */
  readonly tools: readonly string[];
  /** The text of the newest user message, tool results left out. */
  readonly userText: string;
  /** The tool results at the end of the conversation that the model has not answered yet. */
  readonly toolResults: readonly { readonly callId: string; readonly text: string }[];
}

/**
 * The simulated model: a function from the request to its answer. It must not keep state if runs are to be repeatable.
 */
export type Script = (ask: Ask) => Reply;

/** A script that may take time: it asks another program, or a model. `withAsyncScript` gives it to a face. */
export type AsyncScript = (ask: Ask) => Reply | Promise<Reply>;

/** A reply with one text. */
export function answer(text: string): Reply {
  return { words: [{ kind: "text", text }] };
}

/** A tool call in a reply. */
export function callTool(name: string, input: unknown): Words {
  return { kind: "tool-call", name, input };
}

/** One response with one or several (parallel) tool calls. */
export function callTools(...calls: Words[]): Reply {
  return { words: calls };
}

/** Puts thinking before a reply. */
export function think(thought: string, then: Reply): Reply {
  return { ...then, words: [{ kind: "thinking", text: thought }, ...then.words] };
}

/** Returns a summary in the form that the prompt asks for: a scratchpad to remove, then the text under the headings. */
export function summarize(summary: string, scratchpad = "Going through the conversation in order."): Reply {
  const text = `<analysis>\n${scratchpad}\n</analysis>\n\n<summary>\n${summary}\n</summary>`;
  return { words: [{ kind: "text", text, summary }] };
}

/** Returns the replies one after the other; after the last one, `rest` answers. */
export function inOrder(replies: readonly (Reply | Script)[], rest: Script = () => answer("Done.")): Script {
  return (ask) => {
    const next = replies[ask.turn];
    if (next === undefined) return rest(ask);
    return typeof next === "function" ? next(ask) : next;
  };
}

/** The default script: repeats the request in one line. */
export const echo: Script = (ask) =>
  answer(
    ask.purpose === "compaction" ? `Summary of ${ask.inputTokens} tokens.` : `You said: ${ask.userText || "nothing"}`,
  );
