import type { ToolCall } from "../log/block.ts";
import type { Session } from "../session/session.ts";

/** Decides whether a call may run. An exception counts as a refusal. */
export type Permission = (
  wanted: WantedCall,
  context: PermissionContext,
) => PermissionAnswer | Promise<PermissionAnswer>;

/** The session that a tool call belongs to, and the signal that ends the question. */
export interface PermissionContext {
  /** The session whose model makes the call: the host's own, or an agent's. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** `input` is the input that the tool would run with. */
export interface WantedCall {
  readonly call: ToolCall;
  readonly input: unknown;
}

/** `ask`: first hooks are asked, then the host. */
export type PermissionAnswer = PermissionDecision | { readonly kind: "ask" };

/** Whether a tool call runs. `later`: the turn waits for an answer from outside. */
export type PermissionDecision =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  /** Somebody answers some other time, with `session.turn.decide`. The turn ends with the call open, and no process waits. */
  | { readonly kind: "later"; readonly reason?: string };

/** A question for permission that waits for an answer. `session.turn.decide(callId, ...)` answers it. */
export interface OpenQuestion {
  readonly sessionId: string;
  readonly callId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The input that the tool would run with, as JSON. */
  readonly input: unknown;
  /** Why permission is needed. */
  readonly reason?: string;
}

/** Who decides about tool calls. */
export interface PermissionOptions {
  readonly session: Pick<Session, "id" | "events">;
  /** @default everything is allowed */
  readonly permission?: Permission;
  /** Asks the user. @default nobody can be asked, so the call is denied */
  readonly askHost?: (
    wanted: WantedCall,
    context: PermissionContext,
  ) => PermissionDecision | Promise<PermissionDecision>;
  readonly signal: AbortSignal;
}

const ALLOW: PermissionDecision = { kind: "allow" };

/** Policy first, then hooks, then the host. */
export async function decidePermission(
  wanted: WantedCall,
  { session, permission = () => ALLOW, askHost, signal }: PermissionOptions,
): Promise<PermissionDecision> {
  const context: PermissionContext = { sessionId: session.id, signal };
  try {
    const answer = await permission(wanted, context);
    if (answer.kind !== "ask") return answer;
    const { call, input } = wanted;
    const told = { sessionId: session.id, toolName: call.name, toolInput: input, callId: call.id };
    const { blocked, outputs } = await session.events.runHooks("PermissionRequest", told, { signal });
    if (blocked !== undefined) return { kind: "deny", reason: blocked.reason };
    const decisions = outputs.map(({ output }) => output.decision);
    if (decisions.includes("deny")) return { kind: "deny", reason: "a rule of the user forbids it" };
    if (decisions.includes("allow")) return ALLOW;
    return (await askHost?.(wanted, context)) ?? { kind: "deny", reason: "nobody is here to allow it" };
  } catch (error) {
    return { kind: "deny", reason: `it could not be decided: ${messageOf(error)}` };
  }
}

/** The message of an error, or of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
