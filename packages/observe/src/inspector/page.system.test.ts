import { rm } from "node:fs/promises";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { storeSource } from "./sources/store-source.ts";
import { type InspectorOptions, startInspector } from "./start-inspector.ts";
import { axeFindings } from "./testing/axe-findings.ts";
import { HOSTILE, type HostileSession, openHostileSession } from "./testing/hostile-session.ts";
import { openBrowser } from "./testing/open-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Opened {
  readonly page: Page;
  readonly requests: string[];
  readonly problems: string[];
}

interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

const WIDE: Look = { width: 1_280, colorScheme: "light" };

async function openPage(options: Omit<InspectorOptions, "providerOf">, look: Look = WIDE): Promise<Opened> {
  const provider = anthropic({} as never);
  const inspector = await startInspector({
    ...options,
    providerOf: async (name) => (name === provider.name ? (provider as never) : undefined),
  });
  const { width, colorScheme } = look;
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
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
  await page.goto(inspector.entryUrl());
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  expect(page.url()).not.toContain("token");
  return { page, requests, problems };
}

async function openHostile(look?: Look): Promise<Opened & HostileSession> {
  const hostile = await openHostileSession();
  const { store, session, memory } = hostile;
  onTestFinished(async () => {
    await memory.close();
    await rm(memory.folder, { recursive: true });
  });
  const source = storeSource({
    store,
    name: HOSTILE,
    folder: HOSTILE,
    async undo(_, boundary) {
      const tokensBefore = session.view.size().tokens;
      await session.history.restore(boundary, "undone in the page");
      return { kind: "undone", tokensBefore, tokensAfter: session.view.size().tokens };
    },
  });
  const opened = await openPage({ sources: [source], memory: { memory, keyOf: source.keyOf } }, look);
  return { ...opened, ...hostile };
}

/** How many colors a chart has, without shades of its edges. */
function colorsOf(canvas: unknown): number {
  const { width, height, getContext } = canvas as {
    width: number;
    height: number;
    getContext(kind: "2d"): { getImageData(...place: number[]): { data: Uint8ClampedArray } };
  };
  const { data } = getContext.call(canvas, "2d").getImageData(0, 0, width, height);
  const counts = new Map<string, number>();
  for (let at = 0; at < data.length; at += 4) {
    const color = data.slice(at, at + 4).join();
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts].filter(([color, count]) => count > 20 && !color.endsWith(",0")).length;
}

const LOOKS: readonly Look[] = [WIDE, { width: 390, colorScheme: "dark" }];

test.each(LOOKS)(
  "every screen of a hostile session runs no script and reaches nobody, without a complaint of axe: $width pixels, $colorScheme",
  async (look) => {
    const { page, requests, problems, boundary } = await openHostile(look);
    const check = async (screen: string): Promise<void> => {
      expect({ screen, findings: await axeFindings(page) }).toEqual({ screen, findings: [] });
      expect({ screen, hit: await page.evaluate("window.hit") }).toEqual({ screen, hit: undefined });
      const widest = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect({ screen, isWider: (widest as number) > 0 }).toEqual({ screen, isWider: false });
    };
    await check("sessions");
    await page.locator("td a").last().click();
    await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
    const at = page.url().split("/r/")[0]!;
    // A canvas that cannot read a color draws in black.
    for (const chart of ["timeline", "bar"]) {
      const colors = await page.locator(`canvas.${chart}`).evaluate(colorsOf);
      expect({ chart, hasColors: colors > 3 }).toEqual({ chart, hasColors: true });
    }
    const read = async (names: readonly string[]): Promise<void> => {
      for (const name of names) {
        await page.getByRole("button", { name }).first().click();
        await page.locator("pre.text").filter({ hasText: "window.hit" }).first().waitFor();
      }
    };
    await read(["system prompt", "tool definitions", "your messages", "summaries", "attachments"]);
    await page.locator("h1").press("ArrowLeft");
    await read(["the model's answers", "tool calls", "tool results"]);
    await page.getByRole("heading", { name: "Compared with the request before" }).waitFor();
    await check("request");
    await page.locator("#search").fill("window");
    await page.locator("#search").press("Enter");
    await page.getByText(/\d hits?/).waitFor();
    await page.goto(`${at}/b/${boundary}`);
    await page.getByRole("heading", { name: `Compaction at entry ${boundary}` }).waitFor();
    await page
      .getByRole("button", { name: /^entry/ })
      .first()
      .click();
    await check("boundary");
    await page.locator("h1").press("t");
    await page.getByRole("heading", { name: "Forks, agents and mail" }).waitFor();
    await page.getByText("fork from entry").waitFor();
    await page.getByRole("cell", { name: "message", exact: true }).waitFor();
    await check("tree");
    await page
      .getByRole("link", { name: /^entry/ })
      .last()
      .click();
    await page.getByRole("heading", { name: /^Entry \d+$/ }).waitFor();
    await check("entry");
    await page.goto(`${at}/what-if/append-only`);
    await page.getByRole("cell", { name: "append-only" }).waitFor();
    await page.getByText("Done.").waitFor();
    await check("what if");
    await page.locator("h1").press("m");
    await page.getByRole("link", { name: "Hostile" }).click();
    await page.getByRole("heading", { name: "Evidence" }).waitFor();
    await check("memory");
    await page
      .locator("main")
      .getByRole("link", { name: /^[0-9a-f]{8}$/ })
      .first()
      .click();
    await page.getByRole("heading", { name: /^Change/ }).waitFor();
    const address = page.url();
    await page.reload();
    await page.getByRole("heading", { name: /^Change/ }).waitFor();
    expect(page.url()).toBe(address);
    await check("change of a memory");
    const origin = new URL(page.url()).origin;
    expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test("a compaction is undone in the page, after a question", async () => {
  const { page, session, boundary } = await openHostile();
  await page.locator("td a").last().click();
  await page.locator(".stops").getByRole("link").first().click();
  const before = session.view.size().tokens;
  page.once("dialog", (dialog) => dialog.dismiss());
  await page.getByRole("button", { name: "Undo this compaction" }).click();
  expect((await session.history.explain())[0]).toMatchObject({ boundary, inEffect: "yes" });
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Undo this compaction" }).click();
  await page.getByText("Undone: the model sees").waitFor();
  expect(session.view.size().tokens).not.toBe(before);
  expect((await session.history.explain()).filter(({ inEffect }) => inEffect === "yes")).toEqual([]);
});

test("a page follows a session that grows", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({ id: "s", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  await session.append("One");
  await session.prepare();
  const { page } = await openPage({ sources: [storeSource({ store, name: "growing" })] });
  await page.locator("td a").first().click();
  await page.getByText("1 request,").waitFor();
  await session.append("Two");
  await session.prepare();
  await page.getByText("2 requests,").waitFor();
});

test("a session with more compactions than are listed says so", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({ id: "s", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  for (let count = 0; count < 201; count++) {
    const [said] = await session.append("More of this.");
    const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "There was more." }] } as const;
    await session.history.fold({ from: said!, to: said! }, [summary], "often");
  }
  const { page } = await openPage({ sources: [storeSource({ store, name: "often" })] });
  await page.locator("td a").first().click();
  await page.getByText("The first 200 are listed and marked.").waitFor();
  expect(await page.locator(".stops").getByRole("link").count()).toBe(200);
});
