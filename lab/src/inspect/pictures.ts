import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startInspector, storeSource } from "@palimpsest/observe/inspector";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { chromium } from "playwright-core";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment } from "../experiment.ts";
import { writeSample } from "./write-sample.ts";

const PICTURES = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const SESSION = "how-does-compaction-work";
const SIZE = { width: 1_100, height: 720 } as const;

/** Takes the pictures of docs/pictures: the inspector's page in chromium over a sample session. */
export const picturesExperiment: Experiment = {
  name: "pictures",
  about: "no figures: takes the pictures of docs/pictures in chromium",
  run: () => inTemporaryFolder(takePictures),
};

async function takePictures(folder: string): Promise<{ readonly folder: string }> {
  await writeSample(folder, SESSION);
  const store = sqliteStore({ folder });
  const provider = anthropic({} as never);
  const source = storeSource({ store, name: "pictures" });
  const inspector = await startInspector({
    sources: [source],
    providerOf: async (name) => (name === provider.name ? (provider as never) : undefined),
  });
  const executablePath = process.env["PALIMPSEST_CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await mkdir(PICTURES, { recursive: true });
    const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
    const take = (name: string) => page.screenshot({ path: join(PICTURES, `inspector-${name}.png`) });
    const key = source.keyOf(SESSION);
    await page.goto(inspector.entryUrl(key));
    await page.getByRole("heading", { name: /^Request/ }).waitFor();
    await page.locator("h1").press("PageUp");
    await page.getByRole("heading", { name: "Compared with the request before" }).waitFor();
    await take("timeline");
    await page.evaluate("document.querySelector('#shown').scrollIntoView()");
    await take("request");
    await page.locator(".stops").getByRole("link").first().click();
    await page.getByRole("heading", { name: /^Compaction/ }).waitFor();
    await page
      .getByRole("button", { name: /^entry/ })
      .first()
      .click();
    await page.evaluate("document.querySelector('#shown').scrollIntoView()");
    await take("compaction");
    await page.goto(`${inspector.url}/#/s/${key}/what-if/balanced,economy,append-only`);
    await page.getByText("Done.").waitFor();
    await page.evaluate("document.querySelector('#shown').scrollIntoView()");
    await take("what-if");
  } finally {
    await browser.close();
    await inspector.close();
    await store.close();
  }
  return { folder: PICTURES };
}
