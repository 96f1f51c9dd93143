import { addedContext } from "../hooks/added-context.ts";
import type { HookResults, Hooks } from "../hooks/hook.ts";
import { attachment, notice } from "../log/messages.ts";
import { HOOK } from "../log/provenance.ts";
import type { Emit } from "../session-event.ts";
import { leaveRoom } from "./leave-room.ts";
import type { NewContent } from "./to-contents.ts";

export interface RunHooksOptions {
  readonly hooks: Hooks | undefined;
  readonly clock: { now(): number };
  readonly emit: Emit;
}

/** The session's hooks: as the host's, and whoever listens is told how it went. */
export function createRunHooks({ hooks, clock, emit }: RunHooksOptions): Hooks["run"] {
  return async (event, input, options) => {
    if (hooks === undefined) return { ran: 0, outputs: [], failures: [], messages: [] };
    const startedAtMs = clock.now();
    const results = await hooks.run(event, input, options);
    const { ran, blocked, failures, messages } = results;
    const durationMs = clock.now() - startedAtMs;
    const block = blocked === undefined ? {} : { blocked };
    if (ran > 0) emit({ kind: "hooks-ran", event, ran, durationMs, ...block, failures, messages });
    return results;
  };
}

/** What hooks at a session's start add to it: for the model what it is to know, for the user what he is to be told. */
export function startContents(results: HookResults<"SessionStart">, windowTokens: number): readonly NewContent[] {
  const { blocked, messages } = results;
  const { text, cut } = leaveRoom(addedContext(results) ?? "", windowTokens);
  return [
    ...(text === "" ? [] : [attachment("hook", text, HOOK)]),
    ...(cut === undefined ? [] : [notice(`Hooks at the start of the session: ${cut}`)]),
    // A session that is open cannot be blocked; why somebody wanted it is for the user to know.
    ...[...messages, ...(blocked === undefined ? [] : [blocked.reason])].map(notice),
  ];
}
