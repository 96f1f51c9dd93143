/**
 * The source of a text. A request shows the words of the user and of the host as their own. Text of every other provenance stands
 * between tags that it cannot close, so that the model can distinguish data from instructions.
 *
 * `project`: instruction files of the project that the user trusts. `tool`, `agent`: output of the tool or agent with that name.
 * `memory`: topics of earlier sessions. `summary`: the summary that a compaction wrote. `outside`: everything else, such as files,
 * piped input and imported transcripts.
 */
export type Provenance =
  | { readonly kind: "user" | "model" | "host" }
  | { readonly kind: "tool" | "agent"; readonly name: string }
  | { readonly kind: "project" | "memory" | "summary" | "outside"; readonly name?: string };

export const USER: Provenance = { kind: "user" };
export const HOST: Provenance = { kind: "host" };
export const SUMMARY: Provenance = { kind: "summary" };
/** Output of a hook. The user trusts the hook, but the output may repeat text that the hook has read. */
export const HOOK: Provenance = { kind: "project", name: "hook" };
/** The provenance of text without any other information. */
export const OUTSIDE: Provenance = { kind: "outside" };

/** Returns the provenance of a message: the one in its field `provenance`, or the one that its origin implies. */
export function provenanceOf({ provenance, origin }: Pick<Attributed, "provenance" | "origin">): Provenance {
  if (provenance !== undefined) return provenance;
  // An unknown origin, from a host without types or a later release, never counts as the user. The name may also be that of a
  // method of every object, such as `constructor`.
  return origin !== undefined && Object.hasOwn(OF_ORIGINS, origin) ? OF_ORIGINS[origin] : OUTSIDE;
}

/** The origin of a message, as `MessagePayload` has it. */
type Origin = "human" | "model" | "tool" | "command" | "host" | "summary";

interface Attributed {
  readonly origin?: Origin;
  readonly provenance?: Provenance;
  /** The type of attachment. */
  readonly attachment?: string;
}

const OF_ORIGINS: Readonly<Record<Origin, Provenance>> = {
  human: USER,
  model: { kind: "model" },
  tool: { kind: "tool", name: "unknown" },
  command: { kind: "tool", name: "command" },
  host: HOST,
  summary: SUMMARY,
};

/** Whether the user wrote the content in this conversation. Piped input and imported messages have the user's role only. */
export function isUsersOwn(content: Attributed): boolean {
  return content.origin === "human" && provenanceOf(content).kind === "user";
}

/**
 * Adds the provenance to new content, unless the origin alone shows it, as for the user, the model and the host. An attachment
 * without a provenance counts as text from outside.
 */
export function withProvenance<Content extends Attributed>(content: Content): Content {
  const { origin, provenance, attachment } = content;
  if (provenance !== undefined) return content;
  if (attachment !== undefined) return { ...content, provenance: OUTSIDE };
  if (origin === "human" || origin === "model" || origin === "host") return content;
  return { ...content, provenance: provenanceOf(content) };
}

/** Checks whether a value that a host passes is a provenance. */
export function isProvenance(value: unknown): value is Provenance {
  const { kind, name } = (value ?? {}) as { readonly kind?: unknown; readonly name?: unknown };
  const isNamed = kind === "tool" || kind === "agent" ? typeof name === "string" : true;
  return typeof kind === "string" && KINDS.includes(kind) && isNamed && ["undefined", "string"].includes(typeof name);
}

const KINDS = ["user", "model", "host", "tool", "agent", "project", "memory", "summary", "outside"];
