import { isStreamed } from "../log/messages.ts";
import { isProvenance } from "../log/provenance.ts";
import {
  aFunction,
  anObject,
  aText,
  checkArgument,
  checkOptions,
  ifGiven,
  type Needed,
  withMethods,
} from "../schema/check-options.ts";
import type { Session } from "./session.ts";

type MethodOf<Part> = {
  [Name in keyof Part]: Part[Name] extends (...args: never) => unknown ? Name & string : never;
}[keyof Part];
type Group = "provider" | "view" | "turn" | "history" | "pins" | "notes" | "ledger" | "events" | "background";
/** A method of a session: `append`, or `pins.add` for one of a group. */
type Method = MethodOf<Session> | { [Name in Group]: `${Name}.${MethodOf<Session[Name]>}` }[Group];
type Check = (...args: readonly unknown[]) => void;

const CONTENT: Needed = {
  needed: "a text, or what user(), toolResult(), attachment() or a provider's readMessages() returns",
  fits: (value) => typeof value === "string" || (typeof value === "object" && value !== null && !isStreamed(value)),
};
const APPEND_OPTIONS = ifGiven({
  needed:
    '{ key, provenance, answer: "wanted" }, with a key that is not empty and a provenance like { kind: "outside" }; several contents are passed as one list',
  fits: (value) => {
    const { key = "?", provenance, answer = "wanted", ...others } = value as Readonly<Record<string, unknown>>;
    const isNamed = provenance === undefined || isProvenance(provenance);
    const isKnown = answer === "wanted" && Object.keys(others).length === 0;
    return typeof key === "string" && key !== "" && isNamed && isKnown;
  },
});
const NO_OPTIONS: Needed = { needed: "left out: a streamed result has no key", fits: (value) => value === undefined };
const SYNC_MESSAGES: Needed = {
  needed: "a list of messages, each with a role (system, user or assistant) and content (a text, or blocks)",
  fits: (value) => Array.isArray(value) && value.every(isSyncMessage),
};
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

const MODEL = aText("the name of a model");
const SYSTEM: Needed = { needed: "a text", fits: (value) => typeof value === "string" };
const PARAMETERS = anObject("an object with fields of the provider's request");
const TOOLS: Needed = {
  needed: "a list of tools made by tool(), or of definitions, each with a name and an inputSchema",
  fits: (value) => Array.isArray(value) && value.every((one) => isToolDefinition(one) || isRunnable(one)),
};

/** What is asked of the arguments of each method, before it is run. Those that are not here take none, or any. */
const CHECKS: { readonly [Name in Method]?: Check } = {
  append(content, options) {
    if (isStreamed(content)) {
      checkArgument("append(toolResult(callId, stream))", content.callId, aText("the id of a call"));
      return checkArgument("append(toolResult(callId, stream), options)", options, NO_OPTIONS);
    }
    for (const one of Array.isArray(content) ? content : [content]) checkArgument("append(content)", one, CONTENT);
    checkArgument("append(content, options)", options, APPEND_OPTIONS);
  },
  messages: (how) =>
    checkArgument("messages(options)", how, {
      needed: "{ before, limit, attachments }, with a limit of at least 1",
      fits: (value) => {
        const { limit = 1, before = 1 } = (value ?? {}) as { readonly limit?: unknown; readonly before?: unknown };
        return isCount(limit) && Number.isInteger(before);
      },
    }),
  sync: (messages) => checkArgument("sync(messages)", messages, SYNC_MESSAGES),
  "turn.decide"(callId, decision) {
    checkArgument("turn.decide(callId)", callId, aText("the id of a call"));
    checkArgument("turn.decide(callId, decision)", decision, {
      needed: '{ kind: "allow" } or { kind: "deny", reason }, and by whom: { by }',
      fits: (value) => ["allow", "deny"].includes((value as { readonly kind?: string } | undefined)?.kind ?? ""),
    });
  },
  "turn.takeIn": (item) =>
    checkOptions("turn.takeIn", item, {
      queue: aText("the name of the queue"),
      number: { needed: "the number of the item: a whole number, at least 1", fits: isCount },
    }),
  "turn.taken": (queue) => checkArgument("turn.taken(queue)", queue, aText("the name of the queue")),
  "turn.stop": (said) => checkArgument("turn.stop(said)", said, HOW),
  erase: (entry) => checkArgument("erase(entry)", entry, ENTRY),
  prepare: (how) => checkArgument("prepare(options)", how, HOW),
  record: (response) => checkArgument("record(response)", response, RESPONSE),
  configure: (wanted) =>
    checkOptions("configure", wanted, {
      model: ifGiven(MODEL),
      system: ifGiven(SYSTEM),
      tools: ifGiven(TOOLS),
      parameters: ifGiven(PARAMETERS),
    }),
  "history.replace"(range, replacements, reason) {
    checkArgument("history.replace(range)", range, RANGE);
    checkArgument("history.replace(range, replacements)", replacements, REPLACEMENTS);
    checkArgument("history.replace(range, replacements, reason)", reason, REASON);
  },
  "history.fold"(range, replacements, reason) {
    checkArgument("history.fold(range)", range, RANGE);
    checkArgument("history.fold(range, replacements)", replacements, REPLACEMENTS);
    checkArgument("history.fold(range, replacements, reason)", reason, REASON);
  },
  compact: (how) => checkArgument("compact(options)", how, HOW),
  "notes.update": (how) => checkArgument("notes.update(options)", how, HOW),
  "pins.add": (what) =>
    checkArgument("pins.add(what)", what, {
      needed: "a text, or the number of an entry",
      fits: (value) => (typeof value === "string" && value !== "") || Number.isInteger(value),
    }),
  "pins.remove": (pin) =>
    checkArgument("pins.remove(pin)", pin, { needed: "the number that pins.add() returned", fits: Number.isInteger }),
  "background.enterAgent": (step) => checkArgument("background.enterAgent(step)", step, anObject("a step of an agent")),
  "ledger.enter": (used) =>
    checkOptions("ledger.enter", used, { model: MODEL, source: aText("a name for who made the call") }),
  "history.explain": (limit) =>
    checkArgument("history.explain(limit)", limit, ifGiven({ needed: "a whole number, at least 1", fits: isCount })),
  "background.mark": (name) => checkArgument("background.mark(name)", name, aText("a name")),
  "background.setMark"(name, coveredTo) {
    checkArgument("background.setMark(name)", name, aText("a name"));
    checkArgument("background.setMark(name, coveredTo)", coveredTo, ENTRY);
  },
  "history.snip": (target) =>
    checkArgument("history.snip(target)", target, anObject("what to take out: entries, or a block of one")),
  "history.restore": (decision) => checkArgument("history.restore(decision)", decision, ENTRY),
  "history.rewind": (to) => checkArgument("history.rewind(to)", to, ENTRY),
  recall: (request) => checkArgument("recall(request)", request, anObject("{ entry } or { search }")),
  "events.listen": (listener) =>
    checkArgument("events.listen(listener)", listener, aFunction("a function that takes events")),
  fork: (options) => checkOptions("fork", options, { source: aText("a name for what the fork is for") }),
  ask(question, options) {
    checkArgument("ask(question)", question, aText("a text"));
    checkOptions("ask", options, { source: aText("a name for what is asked") });
  },
  "view.accounting": (how) => checkArgument("view.accounting(options)", how, HOW),
  "provider.keepWarm": (options) =>
    checkArgument("provider.keepWarm(options)", options, anObject("an object of options")),
};

/** Methods that return a promise reject; the others throw. */
const AT_ONCE: readonly Method[] = ["events.listen", "background.mark", "view.accounting"];

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
export function checkArguments(session: Session<unknown, unknown>): Session<unknown, unknown> {
  for (const [path, check] of Object.entries(CHECKS) as [Method, Check][]) {
    const [name, group] = path.split(".").reverse() as [string, string?];
    const methods = (group === undefined ? session : session[group as Group]) as unknown as Methods;
    const method = methods[name]!;
    const run = (...args: readonly unknown[]): unknown => {
      check(...args);
      return method(...args);
    };
    methods[name] = AT_ONCE.includes(path) ? run : async (...args) => run(...args);
  }
  return session;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}

function isToolDefinition(value: unknown): boolean {
  const { name, inputSchema } = (value ?? {}) as { readonly name?: unknown; readonly inputSchema?: unknown };
  return typeof name === "string" && typeof inputSchema === "object" && inputSchema !== null;
}

function isRunnable(value: unknown): boolean {
  const { name, run } = (value ?? {}) as { readonly name?: unknown; readonly run?: unknown };
  return typeof name === "string" && typeof run === "function";
}

function isSyncMessage(value: unknown): boolean {
  const { role, content } = (value ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  const isKnown = role === "system" || role === "user" || role === "assistant";
  return isKnown && (typeof content === "string" || Array.isArray(content));
}
