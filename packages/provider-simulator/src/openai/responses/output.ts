import type { Reply } from "../../script.ts";
import type { Speech, SpokenWords } from "../../speak.ts";
import type { IdPrefix } from "../mint-id.ts";
import { sealContent } from "./sealed.ts";

type Status = "in_progress" | "completed" | "incomplete";

/** The items of the simulated model in `output`. */
export type OutputItem =
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
      readonly encrypted_content: string;
    }
  | {
      readonly type: "message";
      readonly id: string;
      readonly status: Status;
      readonly role: "assistant";
      readonly content: readonly OutputPart[];
    }
  | {
      readonly type: "function_call";
      readonly id: string;
      readonly status: Status;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: "tool_search_call";
      readonly id: string;
      readonly status: Status;
      readonly call_id: string;
      readonly execution: "client";
      readonly arguments: unknown;
    }
  | { readonly type: "compaction"; readonly id: string; readonly encrypted_content: string };

export type OutputPart =
  | {
      readonly type: "output_text";
      readonly text: string;
      readonly annotations: readonly never[];
      readonly logprobs: readonly never[];
    }
  | { readonly type: "refusal"; readonly refusal: string };

export interface OutputOptions {
  readonly mint: (prefix: IdPrefix) => string;
  /** Whether the request asked for summaries of the reasoning. */
  readonly summaries: "wanted" | "not-wanted";
  /** How the request has its tools searched. */
  readonly toolSearch: "server" | "client" | "none";
}

/** Speech as output items. Consecutive texts are one message each, as the model would have ended one to begin another. */
export function toOutput(speech: Speech, reply: Reply, options: OutputOptions): OutputItem[] {
  const { mint } = options;
  const output = speech.words.map((words) => toItem(words, options));
  if (speech.stop === "refusal") {
    const refusal = reply.refusal?.explanation ?? "I can't help with that.";
    output.push(message(mint("msg"), { type: "refusal", refusal }, "completed"));
  }
  return output;
}

export function toCompaction(summary: string, mint: (prefix: IdPrefix) => string): OutputItem {
  const id = mint("cmp");
  return { type: "compaction", id, encrypted_content: sealContent({ kind: "compaction", id, text: summary }) };
}

/** A message of the user's, in the full form in which it comes back beside a summary. */
export function toUserMessage(said: unknown, mint: (prefix: IdPrefix) => string): object {
  const content = typeof said === "string" ? [{ type: "input_text", text: said }] : said;
  return { type: "message", id: mint("msg"), status: "completed", role: "user", content };
}

function toItem(words: SpokenWords, { mint, summaries, toolSearch }: OutputOptions): OutputItem {
  const status = words.ending === "cut" ? "incomplete" : "completed";
  if (words.kind === "tool-call") {
    const { name, arguments: text, id } = words;
    if (name === "tool_search" && toolSearch === "client") {
      const call_id = id ?? mint("call");
      const input: unknown = status === "incomplete" ? {} : JSON.parse(text);
      return { type: "tool_search_call", id: mint("tsc"), status, call_id, execution: "client", arguments: input };
    }
    return { type: "function_call", id: mint("fc"), status, call_id: id ?? mint("call"), name, arguments: text };
  }
  if (words.kind === "text") return message(mint("msg"), textPart(words.text), status);
  const id = mint("rs");
  return {
    type: "reasoning",
    id,
    summary: summaries === "wanted" ? [{ type: "summary_text", text: words.text }] : [],
    // Since 2026 filled in by default, asked for or not (types of the 7.53 client).
    encrypted_content: sealContent({ kind: "reasoning", id, text: words.text }),
  };
}

function message(id: string, part: OutputPart, status: Status): OutputItem {
  return { type: "message", id, status, role: "assistant", content: [part] };
}

function textPart(text: string): OutputPart {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
