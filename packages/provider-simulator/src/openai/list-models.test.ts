import { expect, it } from "vitest";
import type { HttpCall } from "../http-face.ts";
import { listModels } from "./list-models.ts";
import { openAiModels } from "./models.ts";

const get = (path: string, headers: HttpCall["headers"] = {}) =>
  listModels({ method: "GET", path, headers, body: "" }, openAiModels, () => "req_1");

it("lists models, and describes one", () => {
  expect(get("/v1/models")).toMatchObject({ status: 200, body: { object: "list" }, outcome: { kind: "free" } });
  expect(get("/v1/models/gpt-6-sol")).toMatchObject({ body: { id: "gpt-6-sol", object: "model" } });
});

it("does not find a model that is not there", () => {
  expect(get("/v1/models/gpt-9%")).toMatchObject({ status: 404, body: { error: { code: "model_not_found" } } });
});

it("leaves calls with another provider's version header alone", () => {
  expect(get("/v1/models", { "anthropic-version": "2026-10-21" })).toBeUndefined();
  expect(get("/v1/elsewhere")).toBeUndefined();
});
