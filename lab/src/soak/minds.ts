import {
  type Ask,
  answer,
  callTool,
  cutStream,
  type Fault,
  gatewayTimeout,
  misbehave,
  overloaded,
  overloadedInStream,
  type Reply,
  rateLimited,
  resetConnection,
  responseFailed,
  type Script,
  serverError,
  spendLimitReached,
  stallStream,
  summarize,
  think,
} from "@palimpsest/provider-simulator";
import type { Random } from "../random.ts";
import { logUniform } from "./log-uniform.ts";

export interface MindOptions {
  readonly random: Random;
  /** Of a tool's result, the smallest and the largest; any order of magnitude between them is as likely. */
  readonly resultCharacters: readonly [number, number];
  readonly maxCalls: number;
}

export interface Minds {
  readonly conversation: Script;
  readonly beside: Script;
  /** How often each was injected. */
  readonly faults: Readonly<Record<string, number>>;
}

const FAULT_SHARE = 0.05;
const MISBEHAVIOUR_SHARE = 0.03;
const BAD_SUMMARY_SHARE = 0.25;
const HOURS_MS = 7_200_000;

const FAULTS: Readonly<Record<string, (random: Random) => Fault>> = {
  overloaded,
  rateLimited: (random) => rateLimited({ retryAfterSeconds: 1 + random.below(30) }),
  spendLimitReached,
  serverError,
  gatewayTimeout,
  responseFailed: () => responseFailed(),
  resetConnection,
  overloadedInStream: (random) => overloadedInStream(random.below(8)),
  cutStream: (random) => cutStream(random.below(10), random.pick(["closed", "reset"])),
  stallStream: (random) => stallStream(random.below(8), HOURS_MS),
  // Of a request that fits: a proxy with a limit of its own, or a server that counts otherwise.
  tooLong: () => ({ kind: "status", status: 400, type: "invalid_request_error", message: "prompt is too long" }),
};

const MISBEHAVIOURS: readonly ((ask: Ask) => Reply)[] = [
  misbehave.sayNothing,
  misbehave.sayBlank,
  misbehave.onlyThink,
  misbehave.callUnknownTool,
  misbehave.garbleToolInput,
  misbehave.repeatToolId,
  misbehave.refuse,
  misbehave.stopAtOutputLimit,
  misbehave.splitSurrogate,
  misbehave.forgeBoundary,
];
const BAD_SUMMARIES: readonly ((ask: Ask) => Reply)[] = [
  ...MISBEHAVIOURS,
  misbehave.callAToolInstead,
  misbehave.sayEmptySkeleton,
  misbehave.switchLanguage,
  ({ inputTokens }) => answer("And then it happened again. ".repeat(1 + Math.min(inputTokens, 20_000) / 7)),
];
const GOOD = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Part\nWhat was done in part ${index + 1}: the loader was renamed, and tested.`,
).join("\n");

/** What a model says that works, thinks, now and then errs, and whose service fails at one request in twenty. */
export function createMinds({ random, resultCharacters, maxCalls }: MindOptions): Minds {
  const faults: Record<string, number> = {};
  const failing = (reply: Reply): Reply => {
    if (!random.happens(FAULT_SHARE)) return reply;
    const name = random.pick(Object.keys(FAULTS));
    faults[name] = (faults[name] ?? 0) + 1;
    return { ...reply, fault: FAULTS[name]!(random) };
  };
  const call = () => {
    const characters = logUniform(random, resultCharacters);
    const name = random.pick(["Read", "Bash", "Grep"]);
    return callTool(name, { file_path: `src/part-${random.below(200)}.ts`, characters });
  };
  const work = (): Reply =>
    random.happens(0.6)
      ? { words: Array.from({ length: 1 + random.below(maxCalls) }, call) }
      : answer(`That is done; ${random.below(1_000)} lines were changed. ${"It was tested, too. ".repeat(5)}`);

  return {
    conversation(ask) {
      if (random.happens(MISBEHAVIOUR_SHARE)) return failing(random.pick(MISBEHAVIOURS)(ask));
      return failing(random.happens(0.5) ? think("First I look at what is there.", work()) : work());
    },
    beside: (ask) => failing(random.happens(BAD_SUMMARY_SHARE) ? random.pick(BAD_SUMMARIES)(ask) : summarize(GOOD)),
    faults,
  };
}
