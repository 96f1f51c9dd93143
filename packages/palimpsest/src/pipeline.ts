import { clearStale } from "./clear/stage.ts";
import { fitBytes } from "./media/stage.ts";
import type { Stage } from "./policy/stage.ts";
import { storeOversized } from "./stages/store-oversized.ts";

/** The stages that a view passes before each request, cheapest first. Each stage sees the decisions of the stages before it. */
export const STAGES: readonly Stage[] = [storeOversized, clearStale, fitBytes];
