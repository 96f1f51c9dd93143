/**
 * One digest for each recorded session of the folder `PALIMPSEST_TRACES`: of its log after the import, and of the requests that
 * five services would get next, in the middle of the session and at its end. Run it by hand, on the commit before and on the one
 * after, with `node --conditions=palimpsest-source --no-warnings test/golden/digest-recordings.ts`:
 *
 *     --out FILE        writes the digests
 *     --compare FILE    names the sessions whose digest differs from that of the file
 *     --print NAME      prints the digest of each text of one session
 *
 * The digests say nothing about what the sessions hold. Keep their texts out of the repository.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { importSession, readTranscript, UnknownTranscriptError } from "@palimpsest/observe";
import { exportLog, memoryStore } from "palimpsest";
import { sha256 } from "palimpsest/store-parts";
import { type Digests, differences } from "./compare-digests.ts";
import { SERVICES, storeWith, textAtEnd } from "./golden-texts.ts";

const { values } = parseArgs({
  options: { out: { type: "string" }, compare: { type: "string" }, print: { type: "string" } },
});
const root = process.env["PALIMPSEST_TRACES"];
if (root === undefined) throw new Error("Set PALIMPSEST_TRACES to a folder of recorded sessions.");
const folder = resolve(root);
const digests: Record<string, string> = {};
for (const path of globSync("**/*.{jsonl,jsonl.zst}", { cwd: folder }).sort()) {
  const name = relative(folder, resolve(folder, path));
  if (values.print !== undefined && values.print !== name) continue;
  const texts = await textsOf(resolve(folder, path));
  if (texts === undefined) continue;
  if (values.print !== undefined) for (const [what, text] of texts) console.log(`${sha256(text)}  ${what}`);
  digests[name] = sha256([...texts].map(([what, text]) => `${what} ${sha256(text)}\n`).join(""));
  console.log(`${digests[name]}  ${name}`);
}
console.log(`${Object.keys(digests).length} sessions`);
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(digests, undefined, 2)}\n`);
if (values.compare !== undefined) {
  const changed = differences(JSON.parse(readFileSync(values.compare, "utf8")) as Digests, digests);
  for (const line of changed) console.log(line);
  console.log(changed.length === 0 ? "No session differs." : `${changed.length} sessions differ.`);
  process.exitCode = changed.length === 0 ? 0 : 1;
}

/** Undefined for a file that is no transcript, or that has no messages. */
async function textsOf(path: string): Promise<ReadonlyMap<string, string> | undefined> {
  const store = memoryStore({ leaseMs: 0 });
  try {
    const imported = await importSession(readTranscript(path), { store, id: "recorded" });
    if (imported.kind !== "imported") return undefined;
  } catch (error) {
    if (UnknownTranscriptError.isInstance(error)) return undefined;
    throw error;
  }
  const reader = await store.openReader("recorded");
  const lines = await Array.fromAsync(exportLog(reader!));
  const texts = new Map([["log", lines.join("\n")]]);
  for (const at of new Set([Math.ceil(lines.length / 2), lines.length])) {
    for (const [name, form] of Object.entries(SERVICES)) {
      const copy = await storeWith({ recorded: lines.slice(0, at) });
      texts.set(`${name} at entry ${at}`, await textAtEnd(copy, "recorded", form).catch(refusalText));
    }
  }
  return texts;
}

/** A session may have nothing to send, or more than a window takes: that must stay so, too. */
function refusalText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
