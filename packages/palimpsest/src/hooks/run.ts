// Runs the hooks for an event, checks their answers, and merges the results.

import { PalimpsestError } from "../errors.ts";
import { aList, checkArgument } from "../schema/check-options.ts";
import type { Hook, HookAt, HookEvent, HookFailure, HookInputs, HookOutputs, HookResults, Hooks } from "./hook.ts";

/** Options for all hooks of a list. */
export interface HooksOptions {
  /** The deadline of hooks that set none. @default 60,000 */
  readonly timeoutMs?: number;
}

/** Creates the hooks of a program from a list. The host must write the list itself: never load hooks from a repository. */
export function createHooks(list: readonly Hook[], { timeoutMs: usualMs = 60_000 }: HooksOptions = {}): Hooks {
  checkArgument("createHooks(hooks)", list, aList("a list of hooks"));
  const hooks = list.map((hook, index) => {
    const { name: by = `${hook.event} ${index + 1}`, timeoutMs = usualMs, tools = "*" } = hook;
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) throw new InvalidHookError(by, timeoutMs);
    return { hook, by, timeoutMs, matches: toPattern(tools) };
  });

  return {
    async run(event, input, { signal } = {}) {
      const called = hooks.filter(({ hook, matches }) => hook.event === event && matchesInput(matches, input));
      const answers = await Promise.all(
        called.map(async ({ hook, by, timeoutMs }): Promise<Answered<typeof event>> => {
          const { run } = hook as unknown as HookAt<typeof event>;
          // The answer is parsed within the hook's own error handling, because reading it may throw.
          const ask = async (own: AbortSignal) => readAnswer(event, await run(input, { event, signal: own }));
          const outcome = await runHook(ask, { timeoutMs, signal });
          if (outcome.kind !== "answered") return { by, ...outcome };
          const { answer } = outcome;
          return "problem" in answer ? { by, kind: "invalid", message: answer.problem } : { by, ...answer };
        }),
      );
      return toResults(answers);
    },
  };
}

/** Timers with a longer delay fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A hook's deadline is not valid. */
export class InvalidHookError extends PalimpsestError {
  static readonly code = "invalid-hook";
  readonly code: string = InvalidHookError.code;
  readonly timeoutMs: number;

  constructor(hook: string, timeoutMs: number) {
    super(`The timeoutMs of hook ${hook} is ${timeoutMs}; it must be above 0 and at most ${MAX_TIMEOUT_MS}.`);
    this.timeoutMs = timeoutMs;
  }
}

function matchesInput(matches: RegExp, input: HookInputs[HookEvent]): boolean {
  return "toolName" in input ? matches.test(input.toolName) : true;
}

function toPattern(tools: string): RegExp {
  const names = tools.split("|").map((name) =>
    name
      .trim()
      .replace(/[.+?^${}()[\]\\]/g, "\\$&")
      .replace(/\*+/g, ".*"),
  );
  return new RegExp(`^(?:${names.join("|")})$`, "s");
}

/**
 * Runs one hook until the hook answers, its deadline passes, or the caller aborts. In the last two cases the hook's signal is
 * aborted, and the hook is no longer awaited.
 */
function runHook<Answer>(
  run: (signal: AbortSignal) => Promise<Answer>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<HookOutcome<Answer>> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const onTimeout = () =>
      end({ kind: "timeout", message: `The hook did not answer within ${timeoutMs} ms and was stopped.` });
    const onAbort = () =>
      end({ kind: "aborted", message: "The hook was stopped, because the operation it ran for has ended." });
    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });

    function end(outcome: HookOutcome<Answer>): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(outcome);
      if (outcome.kind === "timeout" || outcome.kind === "aborted") stop.abort();
    }

    if (signal?.aborted) return onAbort();
    run(stop.signal).then(
      (answer) => end({ kind: "answered", answer }),
      (error) => end({ kind: "error", message: messageOf(error) }),
    );
  });
}

type HookOutcome<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: Exclude<HookFailure["kind"], "invalid">; readonly message: string };

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "The hook threw a value that cannot be shown.";
  }
}

/** Parses the answer of a hook; returns a description of the problem if the answer is not valid for this event. */
function readAnswer<Event extends HookEvent>(
  event: Event,
  answer: unknown,
): { readonly output: HookOutputs[Event] | undefined } | { readonly problem: string } {
  if (answer === undefined || answer === null) return { output: undefined };
  const { fields, text } = ANSWERS[event];
  if (typeof answer !== "string") return readFields<Event>(event, answer, fields);
  const trimmed = answer.trim();
  if (trimmed === "") return { output: undefined };
  if (!trimmed.startsWith("{")) return { output: { [text]: trimmed } as HookOutputs[Event] };
  try {
    return readFields<Event>(event, JSON.parse(trimmed), fields);
  } catch {
    return { problem: `The answer begins like JSON but is not valid JSON: ${trimmed.slice(0, 100)}` };
  }
}

/** Checks the fields of an answer. Unknown fields are ignored: they may belong to another program or a later release. */
function readFields<Event extends HookEvent>(
  event: Event,
  answer: unknown,
  fields: Readonly<Record<string, FieldCheck>>,
) {
  if (!isObject(answer)) return { problem: `A hook of ${event} returns an object, a text or nothing.` };
  const accepted = Object.entries(answer as object).filter(
    ([name, value]) => Object.hasOwn(fields, name) && value !== undefined && value !== null,
  );
  const wrong = accepted.find(([name, value]) => !fields[name]!(value));
  if (wrong !== undefined) {
    const [name, value] = wrong;
    const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : `of type ${typeof value}`;
    return { problem: `In an answer to ${event}, ${name} cannot be ${shown}.` };
  }
  return { output: Object.fromEntries(accepted) as HookOutputs[Event] };
}

interface AnswerForm<Event extends HookEvent> {
  readonly fields: { readonly [Field in keyof HookOutputs[Event]]-?: FieldCheck };
  readonly text: keyof HookOutputs[Event] & string;
}

type FieldCheck = (value: unknown) => boolean;

const isText: FieldCheck = (value) => typeof value === "string";
const isObject: FieldCheck = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isDecision: FieldCheck = (value) => value === "allow" || value === "deny";

const COMMON = { block: isText, userDisplayMessage: isText };
const CONTEXT = { ...COMMON, additionalContext: isText };

/** The valid fields of each event, and the field that a plain text sets. */
const ANSWERS: { readonly [Event in HookEvent]: AnswerForm<Event> } = {
  PreCompact: { fields: { ...COMMON, newCustomInstructions: isText }, text: "newCustomInstructions" },
  PostCompact: { fields: COMMON, text: "userDisplayMessage" },
  SessionStart: { fields: CONTEXT, text: "additionalContext" },
  SessionEnd: { fields: COMMON, text: "userDisplayMessage" },
  Stop: { fields: COMMON, text: "userDisplayMessage" },
  SubagentStart: { fields: CONTEXT, text: "additionalContext" },
  SubagentStop: { fields: COMMON, text: "userDisplayMessage" },
  PermissionRequest: { fields: { ...COMMON, decision: isDecision }, text: "userDisplayMessage" },
  PreToolUse: { fields: { ...COMMON, newToolInput: isObject }, text: "userDisplayMessage" },
  PostToolUse: { fields: CONTEXT, text: "additionalContext" },
  InstructionsLoaded: { fields: COMMON, text: "userDisplayMessage" },
};

type Answered<Event extends HookEvent> =
  | { readonly by: string; readonly output: HookOutputs[Event] | undefined }
  | HookFailure;

function toResults<Event extends HookEvent>(answers: readonly Answered<Event>[]): HookResults<Event> {
  const failures = answers.filter((answer) => "kind" in answer);
  const outputs = answers.flatMap((answer) =>
    "kind" in answer || answer.output === undefined ? [] : [{ by: answer.by, output: answer.output }],
  );
  const blocking = outputs.find(({ output }) => output.block !== undefined);
  return {
    ran: answers.length,
    blocked: blocking === undefined ? undefined : { reason: blocking.output.block!, by: blocking.by },
    outputs,
    failures,
    messages: outputs.flatMap(({ output }) => output.userDisplayMessage ?? []),
  };
}
