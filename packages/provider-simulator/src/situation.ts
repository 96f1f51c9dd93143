import {
  cutStream,
  type Fault,
  overloaded,
  overloadedInStream,
  rateLimited,
  resetConnection,
  stallStream,
} from "./faults.ts";
import { answer, callTool, inOrder, type Reply, type Script, type Words } from "./script.ts";

/** A situation that every client of a provider must handle. */
export type Situation =
  | { readonly kind: "replies"; readonly replies: readonly SituationReply[] }
  | { readonly kind: "rate-limited"; readonly retryAfterMs: number }
  | { readonly kind: "overloaded" | "overloaded-in-stream" | "cut-stream" | "stalled-stream" | "reset-connection" }
  /** The face must have a model with a small window. */
  | { readonly kind: "overflow" };

/** What the model answers in a situation of the contract suite. */
export interface SituationReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

/** The script of a service in a situation. */
export function inSituation(situation: Situation): Script {
  if (situation.kind === "replies") return inOrder(situation.replies.map(toReply));
  const fault = toFault(situation);
  return () => ({
    ...answer("This will not be heard to its end. ".repeat(20)),
    fault,
  });
}

function toReply({ thinking, text, calls = [] }: SituationReply): Reply {
  const words: Words[] = [];
  if (thinking !== undefined) words.push({ kind: "thinking", text: thinking });
  if (text !== undefined) words.push({ kind: "text", text });
  return { words: [...words, ...calls.map(({ name, input }) => callTool(name, input))] };
}

function toFault(situation: Situation): Fault | undefined {
  switch (situation.kind) {
    case "rate-limited":
      return rateLimited({ retryAfterSeconds: situation.retryAfterMs / 1_000 });
    case "overloaded":
      return overloaded();
    case "overloaded-in-stream":
      return overloadedInStream();
    case "cut-stream":
      return cutStream(5);
    case "stalled-stream":
      return stallStream(4, 60_000);
    case "reset-connection":
      return resetConnection();
    default:
      return undefined;
  }
}
