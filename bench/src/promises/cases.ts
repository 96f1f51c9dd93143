import { commandCases } from "./cases/commands.ts";
import { eventCases } from "./cases/events.ts";
import { mediaCases } from "./cases/media.ts";
import { memoryCases } from "./cases/memory.ts";
import { modelCases } from "./cases/models.ts";
import { noticeCases } from "./cases/notices.ts";
import { policyCases } from "./cases/policy.ts";
import { providerCases } from "./cases/providers.ts";
import { resultCases } from "./cases/results.ts";
import { settingsCases } from "./cases/settings.ts";
import { writerCases } from "./cases/writers.ts";
import type { PromiseCase } from "./promise-case.ts";

/** By area, one file each. */
export const CASES: Readonly<Record<string, readonly PromiseCase[]>> = {
  events: eventCases,
  media: mediaCases,
  memory: memoryCases,
  models: modelCases,
  policy: policyCases,
  results: resultCases,
  settings: settingsCases,
  writers: writerCases,
  notices: noticeCases,
  providers: providerCases,
  commands: commandCases,
};
