/**
 * Guesses what an answer is that is not a summary. Used only for answers without most sections, so it changes the
 * report, not the decision: a good summary may well begin with an error.
 */
export function suspiciousAnswer(answer: string): "error-text" | "refusal" | undefined {
  // All tags but that of a web page: it says what the answer is.
  const text = answer.replace(/<\/?(?!html\b)[a-z]+>/gi, " ").trim();
  if (isErrorBody(text) || ERRORS.some((pattern) => pattern.test(text))) return "error-text";
  return REFUSAL.test(text) ? "refusal" : undefined;
}

/** Errors of programs, gateways and networks; all seen in place of a summary. */
const ERRORS: readonly RegExp[] = [
  /^\W{0,3}(?:an? )?(?:\w+ ){0,3}(?:error|exception|failure)\b/i,
  /^(?:http[ /]?\S* )?[45]\d\d\b/i,
  /^<?!?(?:doctype )?html\b/i,
  /^traceback \(most recent call last\)/i,
  /\bnet::ERR_|\b(?:ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_AGAIN)\b/,
  /^.{0,80}\b(?:rate[ _-]?limit|overloaded|quota|too many requests|timed? ?out|service unavailable|bad gateway)\b/i,
  /^.{0,80}\b(?:prompt is too long|context (?:length|window).{0,20}exceed|invalid api key|unauthori[sz]ed|credit balance)/i,
  /^.{0,80}\b(?:stream|connection|socket|request|fetch)\b.{0,20}\b(?:disconnected|closed|failed|aborted|reset|lost)\b/i,
  /^.{0,40}\b(?:failed|unable) to (?:generate|create|produce|get)\b/i,
  /^\W{0,3}no (?:summary|conversation|content|response|messages?)\b.{0,60}(?:\W|$)/i,
];

const REFUSAL =
  /^(?:i(?:['’]m| am) (?:very |so )?sorry|sorry|i apologi[sz]e|unfortunately,? i|i (?:can(?:not|['’]t)|won['’]t|will not|do not|don['’]t|am unable|am not able)|i['’]m (?:unable|not able)|as an ai\b)/i;

function isErrorBody(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  // A stream has several bodies, one per line; the first shows what they are.
  const fields = parse(text) ?? parse(text.split("\n")[0]!);
  if (typeof fields !== "object" || fields === null) return false;
  return ["error", "errors", "detail", "message", "code", "status"].some((name) => name in fields);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
