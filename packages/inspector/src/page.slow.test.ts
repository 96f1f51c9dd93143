import { memoryStore, openSession, type Store, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { storeSource } from "./sources/store-source.ts";
import { startInspector } from "./start-inspector.ts";
import { openBrowser } from "./testing/open-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Runs if any text of a session becomes markup, an attribute, an address or a script. */
const HOSTILE = [
  `<script>window.hit = 1</script>`,
  `<img src=x onerror="window.hit = 2">`,
  `"><svg onload="window.hit = 3">`,
  `javascript:window.hit=4`,
  `<a href="http://evil.example/">click</a><iframe srcdoc="<script>parent.hit = 5</script>">`,
  `</pre></td><style>@import "http://evil.example/x.css"</style>`,
  `\u202e\u0000\ud800{{constructor.constructor('window.hit=6')()}}`,
].join("\n");

async function hostileStore(): Promise<Store> {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({
    id: HOSTILE_ID,
    store,
    provider: anthropic({} as never),
    model: `claude-opus-5-5`,
    system: HOSTILE,
    tools: [{ name: "look", description: HOSTILE, inputSchema: { type: "object", title: HOSTILE } }],
    settings: { "compaction.auto": "off" },
  });
  const [said] = await session.append(HOSTILE);
  await session.prepare();
  const call = { kind: "tool_call", id: HOSTILE, name: HOSTILE, input: { [HOSTILE]: HOSTILE } } as const;
  await session.append({ role: "assistant", origin: "model", blocks: [{ kind: "text", text: HOSTILE }, call] });
  const [result] = await session.append(toolResult(HOSTILE, HOSTILE));
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: HOSTILE }] } as const;
  await session.append("Go on.");
  await session.prepare();
  await session.history.fold({ from: said!, to: result! }, [summary], HOSTILE);
  await session.append(HOSTILE);
  await session.prepare();
  return store;
}
const HOSTILE_ID = "s";

interface Opened {
  readonly page: Page;
  readonly requests: string[];
  readonly problems: string[];
}

async function openPage(store: Store, width: number): Promise<Opened> {
  const provider = anthropic({} as never);
  const inspector = await startInspector({
    sources: [storeSource({ store, name: HOSTILE, folder: HOSTILE })],
    providerOf: async (name) => (name === provider.name ? (provider as never) : undefined),
  });
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  onTestFinished(async () => {
    await context.close();
    await inspector.close();
  });
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("dialog", (dialog) => problems.push(dialog.message()));
  await page.goto(inspector.entryUrl());
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  expect(page.url()).not.toContain("token");
  return { page, requests, problems };
}

test.each([1_280, 390])("a hostile session runs no script and reaches nobody, at %i pixels", async (width) => {
  const { page, requests, problems } = await openPage(await hostileStore(), width);
  await page.getByRole("link").first().click();
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
  for (const name of ["system prompt", "tool definitions", "your messages", "tool results", "summaries"]) {
    const part = page.getByRole("button", { name }).first();
    if ((await part.count()) === 0) continue;
    await part.click();
    await page.locator("pre.text").filter({ hasText: "window.hit" }).first().waitFor();
  }
  await page.locator("body").press("ArrowLeft");
  await page.locator("#search").fill("window");
  await page.locator("#search").press("Enter");
  await page.getByText(/\d hits?/).waitFor();
  await page
    .getByRole("link", { name: /^entry \d+$/ })
    .first()
    .click();
  await page.getByRole("heading", { name: /^(Compaction at entry|Request) \d+$/ }).waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  const origin = new URL(page.url()).origin;
  expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(problems).toEqual([]);
  // Nothing is wider than the window.
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

test("a compaction shows its summary beside what it replaced; every state has an address", async () => {
  const { page, problems } = await openPage(await hostileStore(), 1_280);
  await page.getByRole("link").first().click();
  await page.locator(".stops").getByRole("link").first().click();
  await page.getByRole("heading", { name: /^Compaction at entry/ }).waitFor();
  await page
    .getByRole("button", { name: /^entry/ })
    .first()
    .click();
  const address = page.url();
  await page.reload();
  await page.getByRole("heading", { name: /^Compaction at entry/ }).waitFor();
  expect(page.url()).toBe(address);
  expect(problems).toEqual([]);
});

test("a page follows a session that grows", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({ id: "s", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  await session.append("One");
  await session.prepare();
  const { page } = await openPage(store, 1_280);
  await page.getByRole("link").first().click();
  await page.getByText("1 request,").waitFor();
  await session.append("Two");
  await session.prepare();
  await page.getByText("2 requests,").waitFor();
});
