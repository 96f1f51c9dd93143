import { findAssignments } from "./assignments.ts";
import { type FoundSecret, findKnownFormats } from "./known-formats.ts";

export type { FoundSecret } from "./known-formats.ts";

/** Invisible characters, which would split a secret into two words. */
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;
const ENCODED = /[A-Za-z0-9+/_-]{32,}={0,2}/g;
/** A rule of the scanner with which a text could exclude itself from the search. */
const LETS_OFF = /filter-comments$/;

/**
 * Finds text that looks like a secret: by its form, by its name, and by the rules of a repository scanner (secretlint),
 * which is loaded only if the others find nothing. Also searches base64 text.
 */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  const seen = text.replaceAll(INVISIBLE, "");
  const own = [...findOwn(seen), ...findEncoded(seen)];
  return own.length > 0 ? own : scan(seen);
}

function findOwn(text: string): FoundSecret[] {
  return [...findKnownFormats(text), ...findAssignments(text)].toSorted((one, other) => one.from - other.from);
}

function findEncoded(text: string): FoundSecret[] {
  return [...text.matchAll(ENCODED)].flatMap((match) => {
    const decoded = Buffer.from(match[0], "base64").toString("latin1");
    // Only decoded text counts. Decoded bytes do not, and neither do words that happen to be valid base64.
    if (!/^[\t\n\r\x20-\x7e]+$/.test(decoded)) return [];
    return findOwn(decoded)
      .slice(0, 1)
      .map(({ kind }) => ({ kind: `${kind}, encoded`, from: match.index, to: match.index + match[0].length }));
  });
}

async function scan(text: string): Promise<FoundSecret[]> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ]);
  // By default the profiler keeps 20 KB of every text it reads, forever.
  secretLintProfiler.setEnabled(false);
  const used = rules.filter(({ meta }) => !LETS_OFF.test(meta.id)).map((rule) => ({ id: rule.meta.id, rule }));
  const { messages } = await lintSource({
    source: { content: text, filePath: "memory.md", ext: ".md", contentType: "text" },
    options: { config: { rules: used }, noPhysicFilePath: true },
  });
  return messages.map(({ ruleId, range: [from, to] }) => ({
    kind: `a secret (${ruleId.replace(/^.*-rule-/, "")})`,
    from,
    to,
  }));
}
