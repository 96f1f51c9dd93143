export { elapsedMs, type FoundProcess, type Processes, type ProcessMark, systemProcesses } from "palimpsest/sqlite";
export type {
  Answer,
  AnswerDraft,
  AnswerOutcome,
  ApprovalState,
  Approvals,
  AskedQuestion,
  PendingOptions,
  Question,
} from "./approvals/approvals.ts";
export { type SettleOptions, settleQuestions, type WaitingSession } from "./approvals/settle-questions.ts";
export type { Budgets, DailyTokens } from "./budgets/budgets.ts";
export type { Coordination } from "./coordination.ts";
export { ClosedCoordinationError, CoordinationFormatError, DamagedCoordinationError } from "./coordination-errors.ts";
export type { Dispatch, DispatchWithQueue } from "./dispatch.ts";
export type {
  EventPage,
  Events,
  PruneEventsOptions,
  PublishOptions,
  PublishOutcome,
  ReadEventsOptions,
  TooOld,
  WatchEventsOptions,
  WatchedEvent,
} from "./events/events.ts";
export type { EventsLeftOut } from "./events/join-events.ts";
export { type PublishEventsOptions, type Publishing, publishEvents } from "./events/publish-events.ts";
export type { AddedItem, InboxDraft, InboxItem, SessionInbox } from "./inbox/session-inbox.ts";
export { type KeepLeaseOptions, type KeptLease, keepLease } from "./leases/keep-lease.ts";
export type { Guarded, Lease, LeaseFacts, LeaseOutcome } from "./leases/lease.ts";
export type { LeaseAttempts } from "./leases/lease-attempts.ts";
export type { LeaseOwner } from "./leases/lease-rows.ts";
export type { LeaseState, Leases, TakeResult } from "./leases/leases.ts";
export type { Address } from "./mail/address-rows.ts";
export type { Lost, Mailbox, SendOutcome } from "./mail/mailbox.ts";
export type { Mailboxes, RegisterResult, Registration } from "./mail/mailboxes.ts";
export {
  type AgentSender,
  isName,
  type Message,
  type MessageDraft,
  type MessageKind,
  type Refusal,
  type Refused,
} from "./mail/message.ts";
export { separateRecorded } from "./mail/separate-recorded.ts";
export { type CoordinationOptions, openCoordination, type SqliteCoordination } from "./open-coordination.ts";
export { type DispatchOptions, openDispatch } from "./open-dispatch.ts";
export { type LimitRateOptions, limitRate } from "./rates/limit-rate.ts";
export { memoryRateSource } from "./rates/memory-rate-source.ts";
export {
  createRateLimits,
  type RateLimits,
  type RateLimitsOptions,
  type RateRequest,
} from "./rates/rate-limits.ts";
export type { RateAmount, RateBucket, RateClaim, RateGrant, RateLimit, RateSource } from "./rates/rate-source.ts";
export type { RateTurn, RateWait } from "./rates/rate-turn.ts";
export type { GivenReminder, Run, RunQueue, SessionTarget, TakenRuns, TakenTo } from "./schedule/run-queue.ts";
export type { Reminder, Schedule, SetAsideSession } from "./schedule/schedule.ts";
export {
  type ListeningSocket,
  type ListenOptions,
  type ListenResult,
  listenOnSocket,
} from "./socket/listen-on-socket.ts";
export type { PeerDraft, PeerMessage, PeerSender } from "./socket/peer-message.ts";
export { type SendToSocketOptions, type SentToSocket, sendToSocket } from "./socket/send-to-socket.ts";
export { UnsafeSocketError } from "./socket/socket-path.ts";
export { type SocketSystem, socketSystemOf } from "./socket/socket-system.ts";
