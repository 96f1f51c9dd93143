/** `palimpsest-agent/attacked`: inner parts that security tests attack directly (lab/src/chaos/security). Not a public interface. */
export { loadContext } from "./agent/load-context.ts";
export { type AgentOrder, giveOrder, takeOrders } from "./extensions/agents/control-socket.ts";
export { commandHooks } from "./extensions/hooks/command-hooks.ts";
export type { PermissionQuestion } from "./permissions/permission-call.ts";
export { askPerson } from "./terminal/ask-person.ts";
export { depthOf } from "./terminal/dialogs/dialog-state.ts";
export type { Key } from "./terminal/prompt/editor.ts";
export type { Effect, ScreenEvent } from "./terminal/screen-event.ts";
export { type ScreenState, startState } from "./terminal/state.ts";
export { update } from "./terminal/update.ts";
export { viewLive } from "./terminal/views/view-live.ts";
export { textOf } from "./text/line.ts";
