import { priceUsd } from "@palimpsest/provider-simulator";
import type { NextRequestCost } from "palimpsest";
import type { SentRequest } from "./simulated-models.ts";
import type { Stage } from "./stage.ts";

/** A forecast of the price of the next request, and its error. */
export interface ForecastError {
  readonly when: "warm" | "cold" | "after a compaction";
  readonly forecastUsd: number;
  readonly actualUsd: number;
  readonly errorPct: number;
}

/** Asks for the forecast, sends a message, and compares the price of its first request with the forecast. */
export async function forecastOf(
  { program, sent, row }: Stage,
  when: ForecastError["when"],
  text: string,
): Promise<{ readonly request: SentRequest; readonly error: ForecastError }> {
  const forecast = await program.forecast();
  const known = sent.length;
  await program.turns(text);
  const request = sent.slice(known).find(({ kind }) => kind === "main");
  if (request === undefined) throw new Error(`The turn "${text}" sent no request to the model.`);
  // The output of an answer cannot be known before.
  const actualUsd = priceUsd({ ...request.usage, outputTokens: 0, thinkingTokens: 0 }, row.prices);
  const forecastUsd = expectedUsd(forecast);
  const errorPct = (Math.abs(forecastUsd - actualUsd) / actualUsd) * 100;
  return { request, error: { when, forecastUsd, actualUsd, errorPct } };
}

function expectedUsd({ cache, warmUsd, coldUsd }: NextRequestCost): number {
  const usd = cache === "warm" ? warmUsd : coldUsd;
  if (usd === undefined) throw new Error("The forecast has no price.");
  return usd;
}
