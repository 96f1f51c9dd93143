import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { check } from "recheck";
import { findPatterns, type SourcePattern } from "./patterns/find-patterns.ts";
import { BOUNDED, isBoundedByForm, nameOf, PROVEN } from "./patterns/judge-pattern.ts";

// Every regular expression of the product takes linear time, or runs on texts of limited length. A pattern passes if its form is bounded,
// if recheck has proven it linear, or if patterns/bounded.json says who limits its text; patterns.test.ts measures those.
// `--prove`: proves everything again with recheck, and writes patterns/proven.json.

const provesAll = process.argv.includes("--prove");
const { stdout } = spawnSync(
  "git",
  [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "packages/*.ts",
    "packages/*.js",
    "adapters/*.ts",
    "apps/*.ts",
  ],
  {
    encoding: "utf8",
  },
);
const files = stdout
  .split("\n")
  .filter((file) => /\/(?:src|page)\/.*\.(?:ts|js)$/.test(file) && !file.includes("/template/"));
const found = findPatterns(files);
const bounded = new Set(BOUNDED.map(({ pattern }) => pattern));

async function isProven(pattern: SourcePattern): Promise<boolean> {
  // recheck does not know the flags d and v.
  const flags = pattern.flags.replaceAll(/[dv]/g, "");
  const { status, checker } = await check(pattern.source, flags, { checker: "automaton", timeout: 10_000 });
  return status === "safe" && checker === "automaton";
}

const proven: string[] = [];
const problems: string[] = [];
for (const pattern of new Map(found.map((one) => [nameOf(one), one])).values()) {
  const name = nameOf(pattern);
  if (isBoundedByForm(pattern) || bounded.has(name)) continue;
  if ((!provesAll && PROVEN.has(name)) || (await isProven(pattern))) proven.push(name);
  else problems.push(`${pattern.file}:${pattern.line} ${name}`);
}
if (provesAll)
  writeFileSync(new URL("./patterns/proven.json", import.meta.url), `${JSON.stringify(proven.toSorted(), null, 2)}\n`);
for (const problem of problems) {
  console.log(
    `${problem}\n  is not proven linear. Bound its repetitions, write a scanner, or cut the text and add the length to scripts/patterns/bounded.json.`,
  );
}
console.log(
  `${found.length} patterns: ${proven.length} proven, ${bounded.size} on limited texts, ${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);
