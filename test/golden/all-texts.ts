import { ADAPTERS } from "./adapter-forms.ts";
import { goldenTexts, type Logs, SERVICES, type Texts } from "./golden-texts.ts";
import { listTexts } from "./list-texts.ts";

/** Every text whose digest is committed. */
export async function allTexts(logs: Logs): Promise<Texts> {
  return new Map([...(await goldenTexts(logs, { ...SERVICES, ...ADAPTERS })), ...(await listTexts())]);
}
