import type { ToolCall } from "../log/block.ts";
import type { Session } from "../session/session.ts";

/** Says whether a call may be run. What it throws is a refusal. */
export type Permission = (
  wanted: WantedCall,
  context: PermissionContext,
) => PermissionAnswer | Promise<PermissionAnswer>;

export interface PermissionContext {
  /** The session whose model wants the call: the host's own, or that of an agent. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** `input` is what the tool would be run with. */
export interface WantedCall {
  readonly call: ToolCall;
  readonly input: unknown;
}

/** `ask`: somebody is to be asked: first hooks, then the host. */
export type PermissionAnswer = PermissionDecision | { readonly kind: "ask" };

export type PermissionDecision = { readonly kind: "allow" } | { readonly kind: "deny"; readonly reason: string };

export interface PermissionOptions {
  readonly session: Pick<Session, "id" | "events">;
  /** @default everything is allowed */
  readonly permission?: Permission;
  /** Asks the user. @default there is nobody to ask: what would have to be asked is denied */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
