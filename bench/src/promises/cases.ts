import { resultCases } from "./cases/results.ts";
import type { PromiseCase } from "./promise-case.ts";

/** By area, one file each. */
export const CASES: readonly PromiseCase[] = [...resultCases];
