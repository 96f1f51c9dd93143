import { type Browser, chromium } from "playwright-core";

/** The browser that Debian has: `apt-get install chromium`. Another one by PALIMPSEST_CHROMIUM. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env["PALIMPSEST_CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
