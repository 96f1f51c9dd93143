import { clearStale } from "./stages/clear-stale.ts";
import { fitBytes } from "./stages/fit-bytes.ts";
import type { Stage } from "./stages/stage.ts";
import { storeOversized } from "./stages/store-oversized.ts";

/** What a view passes before each request, cheapest first. Each stage sees what the one before it decided. */
export const STAGES: readonly Stage[] = [storeOversized, clearStale, fitBytes];
