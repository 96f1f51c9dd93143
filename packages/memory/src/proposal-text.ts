import { changeFrontmatter, readFrontmatter } from "./frontmatter.ts";
import type { Author, TopicDraft } from "./topic.ts";
import { oneLine, readTopicText, writeTopicText } from "./topic-text.ts";

/**
 * The facts about a forgotten topic. Forgotten topics and proposals are kept outside of the topics; their frontmatter
 * says why.
 */

export interface ForgottenFacts {
  readonly topic: string;
  readonly by: Author;
  readonly because: string;
  readonly nowMs: number;
}

/** Returns the text of a forgotten topic, with time, author and reason in its frontmatter. */
export function forgottenText(text: string, { topic, by, because, nowMs }: ForgottenFacts): string {
  const forgotten = new Date(nowMs).toISOString();
  return changeFrontmatter(text, { topic, forgotten, "forgotten-by": by, because: oneLine(because) });
}

/** A forgotten fact, with the reason. */
export interface Forgotten {
  readonly topic: string;
  readonly atMs: number | undefined;
  readonly because: string;
}

export function readForgotten(text: string, slug: string): Forgotten {
  const { values } = readFrontmatter(text);
  const atMs = Date.parse(values.get("forgotten") ?? "");
  return {
    topic: values.get("topic") ?? slug,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
    because: values.get("because") ?? "no reason was given",
  };
}

/** A proposed topic in the inbox, until the user approves it. */
export interface Proposal {
  /** The name of the proposal in the inbox; `topic` is the name of the topic it would become. */
  readonly slug: string;
  readonly topic: string;
  readonly draft: TopicDraft;
  readonly by: Author;
  /** Why the topic was not written directly. */
  readonly why: string;
  readonly proposedAtMs: number | undefined;
  /** The version of the topic that the proposal is based on; "none" if there was no topic. */
  readonly over: string;
  /** The version of the proposal's own file. */
  readonly version: string;
}

export interface ProposalFacts {
  readonly topic: string;
  readonly by: Author;
  readonly why: string;
  readonly over: string;
  readonly nowMs: number;
}

export function proposalText(draft: TopicDraft, { topic, by, why, over, nowMs }: ProposalFacts): string {
  const proposed = new Date(nowMs).toISOString();
  return changeFrontmatter(writeTopicText(draft, "", { by, nowMs }), { topic, why: oneLine(why), over, proposed });
}

export function readProposal(text: string, slug: string, version: string): Proposal {
  const { values } = readFrontmatter(text);
  const { name, description, type, body, evidence, author = "user" } = readTopicText(text, slug);
  const topic = values.get("topic") ?? slug;
  const proposedAtMs = Date.parse(values.get("proposed") ?? "");
  return {
    slug,
    topic,
    version,
    by: author,
    draft: { slug: topic, name, description, type, body, evidence },
    why: values.get("why") ?? "",
    proposedAtMs: Number.isNaN(proposedAtMs) ? undefined : proposedAtMs,
    over: values.get("over") ?? "none",
  };
}
