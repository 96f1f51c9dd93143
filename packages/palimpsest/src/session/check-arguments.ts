import {
  aFunction,
  anAsyncIterable,
  anObject,
  aText,
  checkArgument,
  checkOptions,
  ifGiven,
  type Needed,
  withMethods,
} from "../log/check-options.ts";
import type { Session } from "./session.ts";

type AnySession = Session<unknown, unknown>;
type Method = {
  [Name in keyof AnySession]: AnySession[Name] extends (...args: never) => unknown ? Name : never;
}[keyof AnySession];
type Check = (...args: readonly unknown[]) => void;

const CONTENT: Needed = {
  needed: "a text, or what user(), toolResult(), attachment() or a provider's readMessages() returns",
  fits: (value) => typeof value === "string" || (typeof value === "object" && value !== null),
};
const APPEND_OPTIONS = ifGiven({
  needed: "{ key }, with a text that is not empty; several contents are passed as one list",
  fits: (value) => {
    const { key = "?", ...others } = value as { readonly key?: unknown };
    return typeof key === "string" && key !== "" && Object.keys(others).length === 0;
  },
});
const ENTRY: Needed = { needed: "the number of an entry", fits: Number.isInteger };
const RESPONSE: Needed = {
  needed: "a whole response of the provider; readStream(provider.send(request)) reads a stream to its end",
  fits: (value) => typeof value === "object" && value !== null && !(Symbol.asyncIterator in value),
};
const RANGE: Needed = {
  needed: "{ from, to }, both numbers of entries",
  fits: (value) => {
    const { from, to } = (value ?? {}) as { readonly from?: unknown; readonly to?: unknown };
    return Number.isInteger(from) && Number.isInteger(to);
  },
};
const REPLACEMENTS: Needed = { needed: "a list of replacements, each with a role and blocks", fits: Array.isArray };
const REASON = ifGiven(aText("a text that says why"));
const HOW = ifGiven(anObject("an object of options"));
const CHUNKS = anAsyncIterable("an async iterable of texts or bytes, such as a stream");

const MODEL = aText("the name of a model");
const SYSTEM: Needed = { needed: "a text", fits: (value) => typeof value === "string" };
const PARAMETERS = anObject("an object with fields of the provider's request");
const TOOLS: Needed = {
  needed:
    "a list of definitions, each with a name and an inputSchema; tools made by tool() are passed to query({ tools })",
  fits: (value) => Array.isArray(value) && value.every(isToolDefinition),
};

/** What is asked of the arguments of each method, before it is run. Those that are not here take none, or any. */
const CHECKS: { readonly [Name in Method]?: Check } = {
  append(content, options) {
    for (const one of Array.isArray(content) ? content : [content]) checkArgument("append(content)", one, CONTENT);
    checkArgument("append(content, options)", options, APPEND_OPTIONS);
  },
  appendStream(callId, chunks) {
    checkArgument("appendStream(callId)", callId, aText("the id of a call"));
    checkArgument("appendStream(callId, chunks)", chunks, CHUNKS);
  },
  prepare: (how) => checkArgument("prepare(options)", how, HOW),
  record: (response) => checkArgument("record(response)", response, RESPONSE),
  configure: (wanted) =>
    checkOptions("configure", wanted, {
      model: ifGiven(MODEL),
      system: ifGiven(SYSTEM),
      tools: ifGiven(TOOLS),
      parameters: ifGiven(PARAMETERS),
    }),
  replace(range, replacements, reason) {
    checkArgument("replace(range)", range, RANGE);
    checkArgument("replace(range, replacements)", replacements, REPLACEMENTS);
    checkArgument("replace(range, replacements, reason)", reason, REASON);
  },
  fold(range, replacements, reason) {
    checkArgument("fold(range)", range, RANGE);
    checkArgument("fold(range, replacements)", replacements, REPLACEMENTS);
    checkArgument("fold(range, replacements, reason)", reason, REASON);
  },
  compact: (how) => checkArgument("compact(options)", how, HOW),
  updateNotes: (how) => checkArgument("updateNotes(options)", how, HOW),
  pin: (what) =>
    checkArgument("pin(what)", what, {
      needed: "a text, or the number of an entry",
      fits: (value) => (typeof value === "string" && value !== "") || Number.isInteger(value),
    }),
  unpin: (pin) =>
    checkArgument("unpin(pin)", pin, { needed: "the number that pin() returned", fits: Number.isInteger }),
  enterAgent: (step) => checkArgument("enterAgent(step)", step, anObject("a step of an agent")),
  enterUsage: (used) =>
    checkOptions("enterUsage", used, { model: MODEL, source: aText("a name for who made the call") }),
  explain: (limit) =>
    checkArgument("explain(limit)", limit, ifGiven({ needed: "a whole number, at least 1", fits: isCount })),
  mark: (name) => checkArgument("mark(name)", name, aText("a name")),
  setMark(name, coveredTo) {
    checkArgument("setMark(name)", name, aText("a name"));
    checkArgument("setMark(name, coveredTo)", coveredTo, ENTRY);
  },
  snip: (target) => checkArgument("snip(target)", target, anObject("what to take out: entries, or a block of one")),
  restore: (decision) => checkArgument("restore(decision)", decision, ENTRY),
  rewind: (to) => checkArgument("rewind(to)", to, ENTRY),
  recall: (request) => checkArgument("recall(request)", request, anObject("{ entry } or { search }")),
  listen: (listener) => checkArgument("listen(listener)", listener, aFunction("a function that takes events")),
  fork: (options) => checkOptions("fork", options, { source: aText("a name for what the fork is for") }),
  ask(question, options) {
    checkArgument("ask(question)", question, aText("a text"));
    checkOptions("ask", options, { source: aText("a name for what is asked") });
  },
  accounting: (how) => checkArgument("accounting(options)", how, HOW),
  keepWarm: (options) => checkArgument("keepWarm(options)", options, anObject("an object of options")),
};

/** Methods that return a promise reject; the others throw. */
const AT_ONCE: readonly Method[] = ["listen", "mark", "accounting"];

/** What openSession() needs. */
export function checkSessionOptions(options: unknown): void {
  checkOptions("openSession", options, {
    store: withMethods(["openWriter", "openReader"], "a store: memoryStore(), sqliteStore({ folder }), or your own"),
    provider: withMethods(
      ["factsOf", "renderRequest", "readResponse"],
      "a provider: one of this package around your client, or your own",
    ),
    model: ifGiven(MODEL),
    id: ifGiven(aText("a text, or left out for a new session")),
    system: ifGiven(SYSTEM),
    tools: ifGiven(TOOLS),
    parameters: ifGiven(PARAMETERS),
    onEvent: ifGiven(aFunction("a function that takes events")),
  });
}

/** The same session, which says what to pass where it is passed something else. */
export function checkArguments<Request, Response>(session: Session<Request, Response>): Session<Request, Response> {
  const methods = session as unknown as Record<Method, (...args: readonly unknown[]) => unknown>;
  for (const [name, check] of Object.entries(CHECKS) as [Method, Check][]) {
    const method = methods[name];
    const run = (...args: readonly unknown[]): unknown => {
      check(...args);
      return method(...args);
    };
    methods[name] = AT_ONCE.includes(name) ? run : async (...args) => run(...args);
  }
  return session;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}

function isToolDefinition(value: unknown): boolean {
  const { name, inputSchema } = (value ?? {}) as { readonly name?: unknown; readonly inputSchema?: unknown };
  return typeof name === "string" && typeof inputSchema === "object" && inputSchema !== null;
}
