import { ADAPTERS } from "./adapter-forms.ts";
import { goldenTexts, type Logs, SERVICES, type Texts } from "./golden-texts.ts";
import { listTexts } from "./list-texts.ts";
import { OTHER_REQUESTS, ownCallTexts } from "./own-calls.ts";

/** Every text whose digest is committed. */
export async function allTexts(logs: Logs): Promise<Texts> {
  const sent = await goldenTexts(logs, { ...SERVICES, ...OTHER_REQUESTS, ...ADAPTERS });
  return new Map([...sent, ...(await ownCallTexts(logs)), ...(await listTexts())]);
}
