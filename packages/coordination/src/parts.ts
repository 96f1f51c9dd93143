/** `@palimpsest/coordination/parts`: what every implementation of mailboxes needs, for those of other packages. */
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
