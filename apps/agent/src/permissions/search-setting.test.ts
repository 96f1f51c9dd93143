import { expect, test } from "vitest";
import { mergeSettings, readSettings } from "./settings.ts";

const SEARCH = { provider: "searxng", url: "https://search.example" };

test("the user's search service counts", () => {
  const { settings, problems } = readSettings(JSON.stringify({ search: SEARCH }), "user");
  expect(problems).toEqual([]);
  expect(mergeSettings({ user: settings, trust: "untrusted" }).settings.search).toEqual(SEARCH);
  expect(readSettings('{"search":{"provider":"altavista"}}', "user").settings.search).toBeUndefined();
});

test("a project does not say where queries and keys go, trusted or not", () => {
  const project = readSettings(JSON.stringify({ search: SEARCH }), "project");
  expect(project.problems.join()).toContain("search: a project cannot say this. Put it into your own settings.json.");
  const user = { search: { provider: "brave", key: "k" } } as const;
  const merged = mergeSettings({ user, project: project.settings, trust: "trusted" });
  expect(merged.settings.search).toEqual(user.search);
  expect(mergeSettings({ project: project.settings, trust: "trusted" }).settings.search).toBeUndefined();
});
