import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { openMail, type SessionMail } from "./open-mail.ts";

export type MailExtension = Extension & SessionMail;

/** Messages between the sessions of a project. @param name the name of this session for other sessions */
export async function mailExtension(
  { places, sessionId, clock }: Pick<ExtensionContext, "places" | "sessionId" | "clock">,
  name: string | undefined,
): Promise<MailExtension> {
  const mail = await openMail({ places, session: sessionId, clock, ...(name === undefined ? {} : { name }) });
  return { name: "mail", ...mail };
}
