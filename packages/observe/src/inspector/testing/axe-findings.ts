import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe complains about on a page: the rule, and the elements. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate("typeof window.axe")) === "undefined") await page.evaluate(axe.source);
  return (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`)) as string[];
}
