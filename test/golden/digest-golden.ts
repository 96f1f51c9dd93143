/**
 * The texts that golden.test.ts holds against test/golden/digests.json. Run it with
 * `node --conditions=palimpsest-source --no-warnings test/golden/digest-golden.ts`:
 *
 *     --print NAME    prints one text
 *     --write         replaces digests.json: only for a change of what is sent that is meant
 *     --write-logs    replaces the golden logs as well: only for a change of the log format that is meant
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { allTexts } from "./all-texts.ts";
import { writeGoldenLogs } from "./golden-log.ts";
import { digestsOf, readLogs } from "./golden-texts.ts";

const { values } = parseArgs({
  options: { print: { type: "string" }, write: { type: "boolean" }, "write-logs": { type: "boolean" } },
});
if (values["write-logs"] === true) {
  const { session, fork } = await writeGoldenLogs();
  writeFileSync("test/golden/every-kind.jsonl", `${session.join("\n")}\n`);
  writeFileSync("test/golden/every-kind.fork.jsonl", `${fork.join("\n")}\n`);
}
const texts = await allTexts(readLogs());
if (values.print !== undefined) {
  const text = texts.get(values.print);
  if (text === undefined) throw new Error(`There is no text "${values.print}". Without options, the names are listed.`);
  process.stdout.write(`${text}\n`);
} else if (values.write === true || values["write-logs"] === true) {
  writeFileSync("test/golden/digests.json", `${JSON.stringify(digestsOf(texts), undefined, 2)}\n`);
  console.log(`${texts.size} digests`);
} else {
  for (const [name, digest] of Object.entries(digestsOf(texts))) console.log(`${digest}  ${name}`);
}
