import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { anthropic } from "palimpsest/anthropic";
import { knownModel } from "palimpsest/provider-parts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { analyze } from "../../analyze/analyze.ts";
import { addAnalysis, NO_SESSIONS } from "../../analyze/sum-analyses.ts";
import { readTranscript } from "../../transcripts/readers/read-transcript.ts";
import { storeSource } from "../sources/store-source.ts";
import { transcriptSource } from "../sources/transcript-source.ts";
import { axeFindings } from "../testing/axe-findings.ts";
import { HOSTILE, openHostileSession } from "../testing/hostile-session.ts";
import { hostileTranscript } from "../testing/hostile-transcript.ts";
import { openBrowser } from "../testing/open-browser.ts";
import { type ExportOptions, exportSessions } from "./export-sessions.ts";

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "palimpsest-export-"));
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

const provider = anthropic({} as never);
const providerOf: ExportOptions["providerOf"] = async (name) =>
  name === provider.name ? (provider as never) : undefined;

interface Opened {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly problems: readonly string[];
}

async function openFile(html: string): Promise<Opened> {
  const path = join(folder, "copy.html");
  await writeFile(path, html);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(pathToFileURL(path).href);
  return { page, requests, problems };
}

async function expectHarmless({ page, requests, problems }: Opened, screen: string): Promise<void> {
  expect({ screen, hit: await page.evaluate("window.hit") }).toEqual({ screen, hit: undefined });
  expect({ screen, findings: await axeFindings(page) }).toEqual({ screen, findings: [] });
  // The file itself, and nothing else.
  expect({ screen, elsewhere: requests.filter((url) => !url.startsWith(pathToFileURL(folder).href)) }).toEqual({
    screen,
    elsewhere: [],
  });
  expect({ screen, problems }).toEqual({ screen, problems: [] });
}

async function hostileSource() {
  const { store, boundary, memory, session, provider } = await openHostileSession();
  onTestFinished(() => rm(memory.folder, { recursive: true }));
  await memory.close();
  const source = storeSource({
    store,
    name: HOSTILE,
    folder: HOSTILE,
    undo: async () => ({ kind: "refused", why: HOSTILE }),
  });
  return { source, key: source.keyOf("s"), boundary, session, providerOf: async () => provider };
}

test("a hostile session opens from a file: timeline, requests, boundary, tree; no script runs, nothing is asked for", async () => {
  const { source, key, boundary } = await hostileSource();
  const sessions = [{ key, name: HOSTILE }];
  const told: string[] = [];
  const { html, requests, leftOut } = await exportSessions({
    sources: [source],
    providerOf,
    sessions,
    onProgress: ({ session, ofSessions, requests: done, ofRequests }) =>
      told.push(`${session} of ${ofSessions}: ${done} of ${ofRequests}`),
  });
  expect(told).toEqual(["1 of 1: 1 of 3", "1 of 1: 2 of 3", "1 of 1: 3 of 3"]);
  expect({ requests, leftOut }).toEqual({ requests: 3, leftOut: 0 });
  const opened = await openFile(html);
  const { page } = opened;
  const at = `${page.url().split("#")[0]}#/s/${key}`;
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
  await page.getByText("the text of 3 of 3 requests").waitFor();
  for (const name of ["system prompt", "tool definitions", "your messages", "summaries", "attachments"]) {
    await page.getByRole("button", { name }).first().click();
    await page.locator("pre.text").filter({ hasText: "window.hit" }).first().waitFor();
  }
  const newest = await page.locator("h2").textContent();
  await page.locator("h1").press("ArrowLeft");
  await page.getByRole("heading", { name: "Compared with the request before" }).waitFor();
  expect(await page.locator("h2").textContent()).not.toBe(newest);
  await expectHarmless(opened, "request");
  await page.locator(".stops").getByRole("link").first().click();
  await page.getByRole("heading", { name: `Compaction at entry ${boundary}` }).waitFor();
  await page
    .getByRole("button", { name: /^entry/ })
    .first()
    .click();
  await page.locator("section pre.text").last().filter({ hasText: "window.hit" }).waitFor();
  await expectHarmless(opened, "boundary");
  // A copy cannot change the session.
  expect(await page.getByText("Undo this compaction", { exact: true }).count()).toBe(0);
  await page.goto(`${at}/tree`);
  await page.getByText("fork from entry").waitFor();
  await page
    .getByRole("link", { name: /^entry/ })
    .last()
    .click();
  await page.getByRole("heading", { name: /^Entry \d+$/ }).waitFor();
  await expectHarmless(opened, "entry");
  // What needs a server is not there.
  for (const name of ["What if", "Memory", "Undo this compaction"])
    expect({ name, count: await page.getByText(name, { exact: true }).count() }).toEqual({ name, count: 0 });
  expect(await page.locator("#search").count()).toBe(0);
  await page.goto(`${at}/what-if`);
  await page.getByText("This file does not hold it.").waitFor();
});

test("the text of a request in a file is the request as it was sent", async () => {
  const { source, key, session, providerOf } = await hostileSource();
  await session.append("Once more.");
  const sent = JSON.stringify(await session.prepare());
  const { html } = await exportSessions({ sources: [source], providerOf, sessions: [{ key, name: "s" }] });
  const { page } = await openFile(html);
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
  const held = await page.evaluate(`(() => {
    const { bodies, texts } = JSON.parse(document.querySelector("#answers").textContent);
    return Object.values(bodies).map((pieces) => pieces.map((piece) => texts[piece]).join(""));
  })()`);
  expect(held).toContain(sent);
});

test("a hostile transcript is shown with what it spent, among others, and alone", async () => {
  const path = join(folder, "hostile.jsonl");
  await writeFile(path, hostileTranscript());
  const analysis = await analyze(readTranscript({ path }), { factsOf: (model) => knownModel(model).facts });
  const transcripts = transcriptSource({
    find: async function* () {
      yield { path };
    },
    folder: join(folder, "imported"),
  });
  const { source, key } = await hostileSource();
  const transcript = { key: transcripts.keyOf({ path }), name: path, analysis };
  const missing = { key: "0".repeat(20), name: HOSTILE };
  const sum = addAnalysis(addAnalysis(NO_SESSIONS, analysis), analysis);
  const { html } = await exportSessions({
    sources: [transcripts, source],
    providerOf,
    sessions: [transcript, { key, name: HOSTILE }, missing],
    sum,
  });
  const opened = await openFile(html);
  const { page } = opened;
  await page.getByRole("heading", { name: "Spent by all of them" }).waitFor();
  // A session that could not be copied is listed, and leads nowhere.
  expect(await page.locator("tbody").first().locator("tr").count()).toBe(3);
  expect(await page.locator("tbody").first().getByRole("link").count()).toBe(2);
  await expectHarmless(opened, "sessions");
  await page.locator("tbody").first().getByRole("link").first().click();
  await page.getByRole("link", { name: "Spent" }).click();
  await page.getByRole("heading", { name: "Where the money went" }).waitFor();
  await page
    .getByRole("cell", { name: /window\.hit/ })
    .first()
    .waitFor();
  await expectHarmless(opened, "spent");

  const alone = await exportSessions({ sources: [transcripts], providerOf, sessions: [transcript] });
  const { page: one } = await openFile(alone.html);
  await one.getByRole("heading", { name: "Where the money went" }).waitFor();
});

test("the file's own policy stops markup that nobody meant to be in it", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { source, key } = await hostileSource();
  const { html } = await exportSessions({ sources: [source], providerOf, sessions: [{ key, name: "s" }] });
  const added = `<script>window.hit = 1</script><img src="${elsewhere}" onerror="window.hit = 2">`;
  const { page } = await openFile(html.replace("<body>", `<body>${added}`));
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
  const reached = await page.evaluate(`fetch("${elsewhere}", { mode: "no-cors" }).then(() => "yes", () => "no")`);
  expect({ reached, asked, hit: await page.evaluate("window.hit") }).toEqual({
    reached: "no",
    asked: 0,
    hit: undefined,
  });
});

test("a file that would be too large leaves the oldest requests out, and says so", async () => {
  const { source, key } = await hostileSource();
  const sessions = [{ key, name: "s" }];
  const whole = await exportSessions({ sources: [source], providerOf, sessions });
  const page = Buffer.byteLength(whole.html) - Buffer.byteLength(answersOf(whole.html));
  let maxBytes = Buffer.byteLength(answersOf(whole.html));
  let smaller = whole;
  while (smaller.leftOut === 0) {
    maxBytes -= 1_000;
    smaller = await exportSessions({ sources: [source], providerOf, sessions, maxBytes });
  }
  expect(smaller).toMatchObject({ requests: 2, leftOut: 1 });
  // The list is always there, whatever the limit.
  expect(Buffer.byteLength(smaller.html)).toBeLessThan(page + maxBytes + 2_000);
  const opened = await openFile(smaller.html);
  await opened.page.getByText("with the text of 2 of 3 requests").waitFor();
  await opened.page.locator("#scrubber").press("Home");
  await opened.page.getByText("This file does not hold it.").waitFor();
});

function answersOf(html: string): string {
  return /id="answers">(.*?)<\/script>/s.exec(html)![1]!;
}
