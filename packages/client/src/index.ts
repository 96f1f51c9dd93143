export { ApiError } from "./api-error.ts";
export { type Client, createClient, type SayOptions, type SessionClient } from "./create-client.ts";
export type { ClientOptions } from "./send.ts";
export type { WatchOptions } from "./watch-events.ts";
export type {
  Accepted,
  AnswerDraft,
  Compaction,
  CompactOptions,
  Content,
  ContentBlock,
  Context,
  Cost,
  Message,
  MessagePage,
  MessagesOptions,
  Metadata,
  PageOptions,
  Problem,
  Question,
  QuestionPage,
  SessionDraft,
  SessionEvent,
  SessionInfo,
  SessionPage,
  ToolCall,
  WatchedEvent,
} from "./wire.ts";
