/** `@palimpsest/memory/dream`: tidies the memory in the background, when it is time. */
export { applySteps } from "./apply-steps.ts";
export { DREAM_SYSTEM } from "./dream-prompt.ts";
export type { DreamOutcome, DreamState, DreamTask, DreamTurn } from "./dream-task.ts";
export {
  askGates,
  type EarlierRuns,
  type Gate,
  type GateAnswer,
  type GateOptions,
  type GateQuestions,
} from "./gates.ts";
export { type DreamOptions, startDream } from "./start-dream.ts";
