/** user: who they are, how they work. feedback: corrections, confirmed ways. project: ongoing work, decisions. reference: where things are. */
export type TopicType = "user" | "feedback" | "project" | "reference";

/** Their order in the index. */
export const TOPIC_TYPES: readonly TopicType[] = ["user", "feedback", "project", "reference"];

/** Who wrote a topic. `dream`: consolidation in the background. */
export type Author = "user" | "model" | "dream";

/** What a topic rests on: a quote from an entry of a session's log. */
export interface Evidence {
  readonly session: string;
  readonly entry: number;
  readonly quote: string;
}

/** A topic to write. */
export interface TopicDraft {
  /** Names the file. To be given where the name of a topic changes. @default made from the name */
  readonly slug?: string;
  readonly name: string;
  /** One sentence: what the index says of it. */
  readonly description: string;
  readonly type: TopicType;
  /** The fact; of feedback and project topics also why it holds and how to apply it. */
  readonly body: string;
  /** All of it: what was there before is replaced. @default what the topic has */
  readonly evidence?: readonly Evidence[];
}

/** What the index knows of a topic. */
export interface TopicSummary {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly type: TopicType;
  readonly updatedAtMs: number;
  /** SHA-256 of the file's bytes. */
  readonly version: string;
  readonly author: Author;
}

export interface Topic extends TopicSummary {
  readonly createdAtMs: number | undefined;
  readonly body: string;
  readonly evidence: readonly Evidence[];
  /** `off`: the user has dismissed it. It stays in the index, and is not attached to messages. */
  readonly recall: "on" | "off";
  /** The whole file. */
  readonly text: string;
}
