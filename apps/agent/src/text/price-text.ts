import { usd } from "./table.ts";

/** What was spent, as far as it is known. */
interface Spent {
  readonly priceUsd: number;
  /** The part that is an estimate, because an answer was interrupted. @default 0 */
  readonly estimatedUsd?: number;
  /** Responses of models without known prices. */
  readonly unpricedResponses: number;
}

/** Writes a price the same way everywhere: `~` before an estimate, and unknown prices are said to be unknown. */
export function priceText({ priceUsd, estimatedUsd = 0, unpricedResponses }: Spent): string {
  if (unpricedResponses > 0 && priceUsd === 0) return "price unknown";
  return `${estimatedUsd > 0 ? "~" : ""}${usd(priceUsd)}${unpricedResponses > 0 ? " + unknown" : ""}`;
}
