import { findAssignments } from "./assignments.ts";
import { type FoundSecret, findKnownFormats } from "./known-formats.ts";

export type { FoundSecret } from "./known-formats.ts";

/** Characters that are not to be seen, and would tear a secret into two words. */
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;
const ENCODED = /[A-Za-z0-9+/_-]{32,}={0,2}/g;
/** A rule of the scanner by which a text could ask not to be looked at. */
const LETS_OFF = /filter-comments$/;

/**
 * What looks like a secret in a text: by its form, by the name that it is given, and by the rules of a scanner for
 * repositories (secretlint), which is loaded when the others find nothing. Also what is written in base64.
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
    // Text that was encoded is text again. Bytes are not, and neither are words that happen to fit.
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
  // It keeps 20 KB of every text that it looks at, for ever, unless it is told not to.
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
