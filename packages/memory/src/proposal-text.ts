import { changeFrontmatter, readFrontmatter } from "./frontmatter.ts";
import type { Author, TopicDraft } from "./topic.ts";
import { oneLine, readTopicText, writeTopicText } from "./topic-text.ts";

/** Texts that stand outside of the topics, because they wait for the user's yes or were forgotten. Their heads say so. */

export interface ForgottenFacts {
  readonly topic: string;
  readonly by: Author;
  readonly because: string;
  readonly nowMs: number;
}

/** The text that was forgotten, with when, by whom and why in its head. */
export function forgottenText(text: string, { topic, by, because, nowMs }: ForgottenFacts): string {
  const forgotten = new Date(nowMs).toISOString();
  return changeFrontmatter(text, { topic, forgotten, "forgotten-by": by, because: oneLine(because) });
}

/** Why a fact is no longer known. */
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

/** A topic that waits in the inbox for the user's yes. */
export interface Proposal {
  /** Names it in the inbox; `topic` names the topic that it would become. */
  readonly slug: string;
  readonly topic: string;
  readonly draft: TopicDraft;
  readonly by: Author;
  /** Why it was not simply written. */
  readonly why: string;
  readonly proposedAtMs: number | undefined;
  /** The version of the topic that it was made for; "none" where there was none. */
  readonly over: string;
  /** Of the proposal's own file. */
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
