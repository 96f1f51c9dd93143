import type { SessionEvent } from "palimpsest";

/** What a person is told of an event. */
export interface Notice {
  /** One line; a hook may have more to say. */
  readonly text: string;
  /** `problem`: something did not work, or costs something that nobody asked for. */
  readonly weight: "news" | "problem";
  /** Notices of the same name say the same: the first is enough. @default each is told */
  readonly once?: string;
}

/** Where the person reads it: that decides which commands a notice names. */
export type Surface = "terminal" | "command-line";

/** The event of a kind. */
export type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: Kind }>;

export function news(text: string): Notice {
  return { text, weight: "news" };
}

export function problem(text: string): Notice {
  return { text, weight: "problem" };
}
