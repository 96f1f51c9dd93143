import type { ToolCall } from "../log/block.ts";
import { TOOL_SEARCH } from "../log/tool-definition.ts";
import type { Tool } from "../schema/tool.ts";
import { notAllowed } from "../session/turn/call-texts.ts";
import { type ReadInput, readInput } from "../tools/tool-schema.ts";
import type { ToolEnding } from "../turn/permission.ts";
import { decidePermission, type PermissionOptions } from "./permission.ts";

export interface AdmitOptions extends PermissionOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether a tool is deferred, and nothing in view has brought it in. */
  readonly unloaded: (tool: string) => boolean;
}

export type Admission =
  | { readonly kind: "admitted"; readonly tool: Tool; readonly input: unknown }
  /** Somebody decides later. `newInput`: the input as a hook has changed it, if one did. */
  | { readonly kind: "waits"; readonly reason?: string; readonly newInput?: unknown }
  /** The text that the model gets in place of a result. */
  | { readonly kind: "turned-away"; readonly how: ToolEnding; readonly text: string };

/** Decides whether a call runs, and with which input: the tool exists, the input fits, no hook and no rule denies it. */
export async function admitCall(call: ToolCall, options: AdmitOptions): Promise<Admission> {
  const { session, signal } = options;
  const asWritten = await admitAllowed(call, call.input, options);
  if (asWritten.kind !== "admitted") return asWritten;
  const { tool } = asWritten;
  const told = { sessionId: session.id, toolName: call.name, toolInput: call.input, callId: call.id };
  const { blocked, outputs } = await session.events.runHooks("PreToolUse", told, { signal });
  if (blocked !== undefined) return turnAway("denied", `This call was not run: ${blocked.reason}`);
  const changed = outputs.findLast(({ output }) => output.newToolInput !== undefined);
  const read: ReadInput =
    changed === undefined
      ? { kind: "valid", value: asWritten.input }
      : await readInput(tool, changed.output.newToolInput);
  if (read.kind === "invalid") {
    const text = `This call was not run: the hook ${changed?.by} gave it an input that does not fit: ${read.problems.join("; ")}.`;
    return turnAway("denied", text);
  }
  // A search only shows the model what the host offers it; each call of what it finds is decided on.
  if (call.name === TOOL_SEARCH) return { kind: "admitted", tool, input: read.value };
  const decision = await decidePermission({ call, input: read.value }, options);
  if (decision.kind === "deny") return turnAway("denied", notAllowed(decision.reason));
  if (decision.kind === "allow") return { kind: "admitted", tool, input: read.value };
  const { reason } = decision;
  return {
    kind: "waits",
    ...(reason === undefined ? {} : { reason }),
    ...(changed === undefined ? {} : { newInput: changed.output.newToolInput }),
  };
}

/** The same for a call that somebody has allowed: only the tool and its input are looked at. */
export async function admitAllowed(
  { name }: ToolCall,
  input: unknown,
  { tools, unloaded }: Pick<AdmitOptions, "tools" | "unloaded">,
): Promise<Exclude<Admission, { kind: "waits" }>> {
  const tool = tools.get(name);
  if (tool !== undefined && unloaded(name)) return turnAway("unknown-tool", notLoaded(name));
  if (tool === undefined) {
    const names = tools.size === 0 ? "There are no tools." : `There are: ${[...tools.keys()].join(", ")}.`;
    return turnAway("unknown-tool", `There is no tool of the name ${JSON.stringify(name)}. ${names}`);
  }
  const read = await readInput(tool, input);
  if (read.kind === "invalid") return turnAway("invalid-input", invalidText(tool, read.problems));
  return { kind: "admitted", tool, input: read.value };
}

function turnAway(how: ToolEnding, text: string): Extract<Admission, { kind: "turned-away" }> {
  return { kind: "turned-away", how, text };
}

/** The model has not seen its schema: what it wrote is a guess. */
function notLoaded(name: string): string {
  return `The call of ${name} was not run: the tool is not loaded. Call ${TOOL_SEARCH} with the name ${JSON.stringify(name)} first, then call it as its schema says.`;
}

function invalidText({ name }: Tool, problems: readonly string[]): string {
  return `The call of ${name} was not run, its input is wrong: ${problems.join("; ")}. Call it again with a right one.`;
}
