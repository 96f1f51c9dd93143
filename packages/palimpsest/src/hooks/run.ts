import { PalimpsestError } from "../errors.ts";
import { aList, checkArgument } from "../schema/check-options.ts";
import { readAnswer } from "./command.ts";
import type { Hook, HookAt, HookEvent, HookFailure, HookInputs, HookOutputs, HookResults, Hooks } from "./hook.ts";

type HookOutcome<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: Exclude<HookFailure["kind"], "invalid">; readonly message: string };

/**
 * Runs one hook until it answers, its deadline passes, or the caller gives up. After that the hook has been told to stop, and
 * is not awaited.
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

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "It threw something that cannot be shown.";
  }
}

/** The deadline of hooks that have none of their own. */
export interface HooksOptions {
  /** The deadline of hooks without their own. @default 60,000 */
  readonly timeoutMs?: number;
}

/** A timer with a longer delay fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Creates a program's hooks from a list. The list is the host's own: never take hooks from a repository. */
export function createHooks(list: readonly Hook[], { timeoutMs: usualMs = 60_000 }: HooksOptions = {}): Hooks {
  checkArgument("createHooks(hooks)", list, aList("a list of hooks"));
  const hooks = list.map((hook, index) => {
    const { name: by = `${hook.event} ${index + 1}`, timeoutMs = usualMs, tools = "*" } = hook;
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) throw new InvalidHookError(by, timeoutMs);
    return { hook, by, timeoutMs, matches: toPattern(tools) };
  });

  return {
    async run(event, input, { signal } = {}) {
      const called = hooks.filter(({ hook, matches }) => hook.event === event && isMeant(matches, input));
      const answers = await Promise.all(
        called.map(async ({ hook, by, timeoutMs }): Promise<Answered<typeof event>> => {
          const { run } = hook as unknown as HookAt<typeof event>;
          // The answer is parsed where the hook runs: it may be anything, and may throw when it is read.
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
    ...(blocking === undefined ? {} : { blocked: { reason: blocking.output.block!, by: blocking.by } }),
    outputs,
    failures,
    messages: outputs.flatMap(({ output }) => output.userDisplayMessage ?? []),
  };
}

function isMeant(matches: RegExp, input: HookInputs[HookEvent]): boolean {
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
