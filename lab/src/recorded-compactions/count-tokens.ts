import { estimateTokens, featuresOf, startCalibration } from "palimpsest/inspect";

const CALIBRATION = startCalibration();

/** By the engine's estimator, for all that is compared. */
export function countTokens(text: string): number {
  return text === "" ? 0 : estimateTokens(CALIBRATION, featuresOf({ kind: "text", text }));
}
