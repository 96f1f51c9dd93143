import { attachment } from "palimpsest";
import { type AttachmentPayload, withinTag } from "palimpsest/inspect";
import type { AgentReport } from "./session-input.ts";

/** A longer report is cut in its middle: it would fill the window of who asked for it. */
const MAX_REPORT_CHARACTERS = 30_000;

/** The report of an agent, as data: an attachment between tags that its text cannot close. */
export function reportOf({ agent, outcome, text }: AgentReport): AttachmentPayload {
  const said = withinTag("agent-result", { id: agent, outcome }, shortened(text));
  return attachment("agent-result", [{ kind: "text", text: said, marks: "own" }], { kind: "agent", name: agent });
}

function shortened(text: string): string {
  if (text.length <= MAX_REPORT_CHARACTERS) return text;
  const part = MAX_REPORT_CHARACTERS / 2;
  return `${text.slice(0, part)}\n[${text.length - 2 * part} characters are left out here]\n${text.slice(-part)}`;
}
