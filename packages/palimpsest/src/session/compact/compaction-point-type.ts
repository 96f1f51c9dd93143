import type { Profile } from "../../settings/settings.ts";
import type { Hold } from "./attendance.ts";

/** Where the conversation will be compacted next, and by which policy. */
export type CompactionPoint = OnPoint | { readonly policy: "off"; readonly profile: Profile };

export interface OnPoint {
  /** `economic`: when it saves money. `window`: when the window is nearly full. `held`: the same for now, `heldBy` says why. */
  readonly policy: "economic" | "window" | "held";
  /** The size at which it is made, or asked about. */
  readonly atTokens: number;
  /** The size at which it is made while the model is at work, if that is another. */
  readonly withinTurnAtTokens?: number;
  /** What keeps the economic policy from acting. */
  readonly heldBy?: Hold["by"];
  /** The size at which it is made once nothing holds the economic policy any more. */
  readonly thenAtTokens?: number;
  /** `asks`: the user or the host is asked first. */
  readonly approval: "asks" | "automatic";
  readonly profile: Profile;
}
