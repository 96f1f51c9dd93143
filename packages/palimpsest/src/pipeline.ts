import { clearStale } from "./stages/clear-stale.ts";
import { fitBytes } from "./stages/fit-bytes.ts";
import type { Stage } from "./stages/stage.ts";
import { storeOversized } from "./stages/store-oversized.ts";

/** The stages that a view passes before each request, cheapest first. Each stage sees the decisions of the stages before it. */
export const STAGES: readonly Stage[] = [storeOversized, clearStale, fitBytes];
