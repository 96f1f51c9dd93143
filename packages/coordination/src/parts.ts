/** `@palimpsest/coordination/parts`: what every implementation of the ports needs, for those of other packages. */
export { inputText, toAnswer, toAskResult, toPendingPage, toState } from "./approvals/approval-row.ts";
export { DEFAULT_PENDING_LIMIT, EXPIRED, expiryKey } from "./approvals/approvals.ts";
export { toEventPage } from "./events/event-batch.ts";
export { DEFAULT_EVENTS } from "./events/events.ts";
export { watchEvents } from "./events/watch-events.ts";
export { DEFAULT_INBOX_LIMIT, fingerprintOf } from "./inbox/session-inbox.ts";
export { checkRegistration } from "./mail/mailboxes.ts";
export {
  checkDraft,
  DEFAULT_MAIL_LIMITS,
  DEFAULT_RECEIVE_LIMIT,
  digestOf,
  fromKey,
  isId,
  type MailLimits,
  refuseFull,
  refuseTakenId,
  refuseUnknown,
  toKey,
} from "./mail/message.ts";
export { type MailWait, waitForMail } from "./mail/wait-for-mail.ts";
export { FORGET_DEMAND_MS, FORGET_TENANT_MS, type Rates, toRates } from "./rates/rate-source.ts";
export type { Listen } from "./rings.ts";
export { DEFAULT_RUN_QUEUE } from "./schedule/run-queue.ts";
export { toSetAsidePage } from "./schedule/set-aside-page.ts";
export { type WorkWait, waitForWork } from "./schedule/wait-for-work.ts";
