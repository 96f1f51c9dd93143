import { requestWords } from "../gauntlet/request-words.ts";

export type RequestBody = Readonly<Record<string, unknown>>;

/** What a request is for. `other`: a side question without a part in any scenario. */
export type RequestKind = "main" | "summary" | "notes" | "agent" | "memory" | "dream" | "other";

/** Begins the task of each fork, followed by its number. */
export const AGENT_MARK = "LADDER-AGENT-";

/** Words of the prompts of side questions, which stand in the last message of a request. */
const PROMPTS: readonly (readonly [RegExp, RequestKind])[] = [
  [/nine sections/, "summary"],
  [/<current-notes>/, "notes"],
  [new RegExp(AGENT_MARK), "agent"],
  [/Decide whether one of these sentences/, "memory"],
];

/** The whole list of messages, in the form of any of the services. */
function itemsOf({ messages, input, contents }: RequestBody): readonly unknown[] {
  const items = messages ?? input ?? contents;
  return Array.isArray(items) ? items : [items];
}

/** Tells requests apart by the last message and the tools that they offer. */
export function kindOf(body: RequestBody): RequestKind {
  const lastWords = requestWords({ messages: itemsOf(body).slice(-1) });
  const found = PROMPTS.find(([words]) => words.test(lastWords));
  if (found !== undefined) return found[1];
  const system = requestWords({ system: body["system"] ?? body["instructions"] ?? body["systemInstruction"] });
  if (/tidy|dream/i.test(system.slice(0, 500))) return "dream";
  return hasTools(body) ? "main" : "other";
}

function hasTools({ tools, toolConfig }: RequestBody): boolean {
  const offered = tools ?? (toolConfig as RequestBody | undefined)?.["tools"];
  return Array.isArray(offered) && offered.length > 0;
}

/** The number of a fork's task, if the last message gives it one. */
export function agentNumber(body: RequestBody): number | undefined {
  const found = new RegExp(`${AGENT_MARK}(\\d)`).exec(requestWords({ messages: itemsOf(body).slice(-1) }));
  return found === null ? undefined : Number(found[1]);
}

/** All words of a request's messages. */
export function wordsOf(body: RequestBody): string {
  return requestWords({ messages: itemsOf(body) });
}

/** The texts of all tool results in a request, in order. */
export function resultTexts(body: RequestBody): readonly string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [...itemsOf(body)].reverse();
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const result = resultOf(next as RequestBody);
    if (result !== undefined) texts.push(requestWords({ messages: [result] }));
    else waiting.push(...Object.values(next).reverse());
  }
  return texts;
}

function resultOf(item: RequestBody): unknown {
  if (item["type"] === "tool_result") return item["content"] ?? "";
  if (item["type"] === "function_call_output") return item["output"] ?? "";
  return item["functionResponse"] ?? item["toolResult"];
}
