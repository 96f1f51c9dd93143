import type { SessionEvent } from "palimpsest";

/** A message to the person about an event. */
export interface Notice {
  /** One line; the message of a hook may have more. */
  readonly text: string;
  /** `problem`: something failed, or cost money that nobody asked for. */
  readonly weight: "news" | "problem";
  /** Of several notices with the same name, only the first is shown. @default every notice is shown */
  readonly once?: string;
}

/** Where the person reads the notice. It decides which commands the notice names. */
export type Surface = "terminal" | "command-line";

/** The event of a kind. */
export type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: Kind }>;

export function news(text: string): Notice {
  return { text, weight: "news" };
}

export function problem(text: string): Notice {
  return { text, weight: "problem" };
}
