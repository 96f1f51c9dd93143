import { usd } from "./table.ts";

/** A cost, as far as it is known. */
interface Spent {
  readonly priceUsd: number;
  /** The estimated part, for interrupted responses. @default 0 */
  readonly estimatedUsd?: number;
  /** The number of responses from models without known prices. */
  readonly unpricedResponses: number;
}

/** Formats a cost: `~` marks an estimate, and unknown prices are named. */
export function priceText({ priceUsd, estimatedUsd = 0, unpricedResponses }: Spent): string {
  if (unpricedResponses > 0 && priceUsd === 0) return "price unknown";
  return `${estimatedUsd > 0 ? "~" : ""}${usd(priceUsd)}${unpricedResponses > 0 ? " + unknown" : ""}`;
}
