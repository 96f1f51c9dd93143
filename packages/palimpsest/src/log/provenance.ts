/**
 * Where a text comes from. A request shows the words of the user and of the host as such. Text of every other provenance stands
 * between marks that it cannot close, so that the model can tell data from orders.
 *
 * `project`: files of the project that hold instructions, once the user trusts them. `tool`, `agent`: what one of that name
 * returned or wrote. `memory`: topics of earlier sessions. `summary`: what a compaction wrote about the conversation.
 * `outside`: everything else, such as files, piped input and imported transcripts.
 */
export type Provenance =
  | { readonly kind: "user" | "model" | "host" }
  | { readonly kind: "tool" | "agent"; readonly name: string }
  | { readonly kind: "project" | "memory" | "summary" | "outside"; readonly name?: string };

export const USER: Provenance = { kind: "user" };
export const HOST: Provenance = { kind: "host" };
export const SUMMARY: Provenance = { kind: "summary" };
/** What a hook of the host says. The user trusts the hook, but it may repeat what it has read. */
export const HOOK: Provenance = { kind: "project", name: "hook" };
/** What is assumed where nobody says it. */
export const OUTSIDE: Provenance = { kind: "outside" };

const KINDS = ["user", "model", "host", "tool", "agent", "project", "memory", "summary", "outside"];

/** Whether a value that a host passes is a provenance. */
export function isProvenance(value: unknown): value is Provenance {
  const { kind, name } = (value ?? {}) as { readonly kind?: unknown; readonly name?: unknown };
  const isNamed = kind === "tool" || kind === "agent" ? typeof name === "string" : true;
  return typeof kind === "string" && KINDS.includes(kind) && isNamed && ["undefined", "string"].includes(typeof name);
}

/** The origins of messages that say where the text comes from, without a name. */
type Origin = "human" | "model" | "tool" | "command" | "host" | "summary";

interface Told {
  readonly origin?: Origin;
  readonly provenance?: Provenance;
  /** The type of attachment. */
  readonly attachment?: string;
}

/** The provenance of a message: the one that it names, or the one that its origin implies. */
export function provenanceOf({ provenance, origin }: Pick<Told, "provenance" | "origin">): Provenance {
  if (provenance !== undefined) return provenance;
  // A host without types may name an origin that we do not know, and so may a later release: nobody speaks for the user by that.
  // Such a name may also be that of a method which every object has, such as `constructor`.
  return origin !== undefined && Object.hasOwn(OF_ORIGINS, origin) ? OF_ORIGINS[origin] : OUTSIDE;
}

/** Whether the user has written it in this conversation. Piped input and imported messages only stand in the user's place. */
export function isUsersOwn(told: Told): boolean {
  return told.origin === "human" && provenanceOf(told).kind === "user";
}

/**
 * New content that says where its text comes from, unless its origin does: the user, the model and the host have no other name.
 * Without a word about it, no attachment speaks for the host.
 */
export function withProvenance<Content extends Told>(content: Content): Content {
  const { origin, provenance, attachment } = content;
  if (provenance !== undefined) return content;
  if (attachment !== undefined) return { ...content, provenance: OUTSIDE };
  if (origin === "human" || origin === "model" || origin === "host") return content;
  return { ...content, provenance: provenanceOf(content) };
}

const OF_ORIGINS: Readonly<Record<Origin, Provenance>> = {
  human: USER,
  model: { kind: "model" },
  tool: { kind: "tool", name: "unknown" },
  command: { kind: "tool", name: "command" },
  host: HOST,
  summary: SUMMARY,
};
