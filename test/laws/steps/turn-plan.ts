import { answer, callTool, callTools, type Reply, type Script } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import type { Permission, Tool } from "palimpsest";
import type { Mortal } from "./mortal.ts";

/** What the model says, one reply after another, and what comes from the queue. */
export interface TurnPlan {
  readonly replies: readonly PlannedReply[];
  readonly messages: readonly string[];
}

export type PlannedReply =
  | { readonly kind: "calls"; readonly calls: readonly PlannedCall[]; readonly end: "whole" | "cut" }
  | { readonly kind: "cut" }
  | { readonly kind: "refused" };

export interface PlannedCall {
  readonly tool: keyof typeof REPEATS;
  readonly permission: "allow" | "deny" | "allow-later" | "deny-later";
}

const REPEATS = { look: "free", pay: "by-key", send: "never" } as const;

const call: fc.Arbitrary<PlannedCall> = fc.record({
  tool: fc.constantFrom("look", "pay", "send"),
  permission: fc.oneof(
    { weight: 4, arbitrary: fc.constant("allow" as const) },
    { weight: 3, arbitrary: fc.constantFrom("deny" as const, "allow-later" as const, "deny-later" as const) },
  ),
});
const calls = fc.array(call, { minLength: 1, maxLength: 4 });
const reply: fc.Arbitrary<PlannedReply> = fc.oneof(
  { weight: 6, arbitrary: calls.map((list) => ({ kind: "calls" as const, calls: list, end: "whole" as const })) },
  { weight: 1, arbitrary: calls.map((list) => ({ kind: "calls" as const, calls: list, end: "cut" as const })) },
  { weight: 1, arbitrary: fc.constant({ kind: "cut" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "refused" as const }) },
);

export const turnPlan: fc.Arbitrary<TurnPlan> = fc.record({
  replies: fc.array(reply, { maxLength: 4 }),
  messages: fc.array(fc.constantFrom("Do it.", "And that, too.", "Slowly."), { minLength: 1, maxLength: 3 }),
});

/** Answers by what was said before: a request that is sent again gets the same answer. */
export function scriptOf({ replies }: TurnPlan): Script {
  return ({ request }) => {
    const { messages } = request as { readonly messages: readonly { readonly role: string }[] };
    const at = messages.filter(({ role }) => role === "assistant").length;
    const planned = replies[at];
    if (planned === undefined) return answer("Done.");
    if (planned.kind === "refused") return { ...answer("No."), stop: "refusal" } satisfies Reply;
    if (planned.kind === "cut") return { ...answer(`Part ${at}.`), stop: "output-limit" } satisfies Reply;
    const made = callTools(
      ...planned.calls.map(({ tool, permission }, index) =>
        callTool(tool, { id: `${tool} ${at}.${index}`, permission }),
      ),
    );
    return planned.end === "cut" ? { ...made, stop: "output-limit" } : made;
  };
}

/** What was done outside of the log, by whoever did it. */
export interface Effects {
  /** How often each call was run. */
  readonly runs: Map<string, number>;
  /** What the service has done, by key. */
  readonly paid: Map<string, string>;
}

/** Tools that may be killed before and after they do something. */
export function toolsOf({ runs, paid }: Effects, { moment }: Pick<Mortal, "moment">): readonly Tool[] {
  return Object.entries(REPEATS).map(([name, repeat]) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    repeat,
    concurrency: repeat === "never" ? ("alone" as const) : ("safe" as const),
    async execute(input, { key }) {
      const { id } = input as { readonly id: string };
      await moment();
      runs.set(id, (runs.get(id) ?? 0) + 1);
      if (repeat === "by-key") paid.set(key, id);
      await moment();
      return `Result of ${id}.`;
    },
  }));
}

export const permission: Permission = ({ input }) => {
  const { permission: planned } = input as { readonly permission: PlannedCall["permission"] };
  if (planned === "allow") return { kind: "allow" };
  return planned === "deny" ? { kind: "deny", reason: "a rule" } : { kind: "later", reason: "Ask Ada." };
};
