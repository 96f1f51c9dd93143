import { ANTHROPIC_MODELS } from "@palimpsest/provider-simulator";
import type { Contestant } from "../contestant.ts";
import seeds from "../seeds.json" with { type: "json" };
import { type RealFigures, runRealCourse } from "./real-course.ts";

const WINDOW_TOKENS = 48_000;

/** Plays the course with a real model, for contestants that speak with Anthropic, one after the other. */
export async function runWithRealModel(
  contestants: readonly Contestant[],
  model: string,
  windows: number,
): Promise<Readonly<Record<string, RealFigures & { readonly version: string }>>> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: target = "https://api.anthropic.com" } = process.env;
  if (key === undefined) throw new Error("A real model needs a key: set ANTHROPIC_API_KEY.");
  if (!(windows > 0)) throw new Error(`--windows takes a number above 0, not ${windows}.`);
  const figures: Record<string, RealFigures & { readonly version: string }> = {};
  for (const contestant of contestants) {
    const { name, api } = contestant;
    if (api !== "anthropic-messages")
      throw new Error(`${name} speaks ${api}; the lane for real models has Anthropic only.`);
    const prices = ANTHROPIC_MODELS.find(({ id }) => id === model)?.prices;
    const played = await runRealCourse(contestant, {
      seed: seeds.full,
      model,
      windowTokens: WINDOW_TOKENS,
      windows,
      target,
      key,
      ...(prices && { prices }),
      onTurn: (turn, percent) => console.error(`${name}: turn ${turn}, ${percent}% of the material`),
    });
    figures[name] = { version: contestant.version(), ...played };
  }
  return figures;
}
