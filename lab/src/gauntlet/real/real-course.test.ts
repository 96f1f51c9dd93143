import { expect, test } from "vitest";
import { CONTESTANTS } from "../contestants.ts";
import { createScriptedModel } from "../scripted-model.ts";
import { MODELS, serveCourse } from "../serve-course.ts";
import { runRealCourse } from "./real-course.ts";
import { startRelay } from "./relay.ts";

const MODEL = MODELS["anthropic-messages"];

test("a course with a model of another service: what it saw, what it answered, what was counted", async () => {
  // The simulator stands in for the service, with a model that reads nothing and answers everything alike.
  const model = createScriptedModel({ seed: "real", workspace: "/nowhere", summaryPrompt: /<summary> block/ });
  model.begin({ answer: "I see." });
  const service = await serveCourse(model, 200_000);
  const contestant = CONTESTANTS.find(({ name }) => name === "palimpsest-library")!;
  const told: number[] = [];
  try {
    const figures = await runRealCourse(contestant, {
      seed: "real",
      model: MODEL,
      windowTokens: 48_000,
      windows: 0.25,
      target: service.url,
      key: "a key",
      onTurn: (_, percent) => told.push(percent),
    });
    expect(told.at(-1)).toBe(100);
    expect(figures).toMatchObject({ model: MODEL, turns_not_done: 0, refused: 0, answered_pct: 0 });
    // Words of the user are in view; what the files say is not, since nobody read them.
    expect(figures.in_view_pct).toBeGreaterThan(0);
    expect(figures.in_view_pct).toBeLessThan(100);
    expect(figures.turns).toBe(told.length + 1 + figures.asked);
    expect(figures.requests).toBe(service.exchanges.length);
    expect(figures.input_tokens).toBeGreaterThan(1_000);
    expect(service.exchanges.every(({ exchange }) => exchange.headers["x-api-key"] === "a key")).toBe(true);
  } finally {
    await service.close();
  }
});

test("a service that cannot be reached is an error of that service, and no silence", async () => {
  const relay = await startRelay({ target: "http://127.0.0.1:9", key: "k" });
  const response = await fetch(`${relay.url}/v1/messages`, { method: "POST", body: "{}" });
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ type: "error", error: { type: "api_error" } });
  await relay.close();
});
