import { eventCases } from "./cases/events.ts";
import { mediaCases } from "./cases/media.ts";
import { modelCases } from "./cases/models.ts";
import { moreCases } from "./cases/more.ts";
import { noticeCases } from "./cases/notices.ts";
import { policyCases } from "./cases/policy.ts";
import { resultCases } from "./cases/results.ts";
import { settingsCases } from "./cases/settings.ts";
import { writerCases } from "./cases/writers.ts";
import type { PromiseCase } from "./promise-case.ts";

/** By area, one file each. */
export const CASES: Readonly<Record<string, readonly PromiseCase[]>> = {
  events: eventCases,
  media: mediaCases,
  models: modelCases,
  policy: policyCases,
  results: resultCases,
  settings: settingsCases,
  writers: writerCases,
  notices: noticeCases,
  more: moreCases,
};
