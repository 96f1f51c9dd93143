import type { FoundSecret } from "./known-formats.ts";
import { looksRandom, type Strength } from "./looks-random.ts";

/**
 * Values that are secrets because of the name they are given: `DB_PASSWORD=...`, `"apiKey": "..."`, `--token ...`, "the password
 * is ...". A name alone is no secret, and neither is a value that anyone would write there to explain something: it has to
 * look as if a machine had made it, or someone for a lock.
 *
 * Each pattern is bounded, and what a name means is found by its words and not by the pattern: so the time is linear.
 */
const ASSIGNED =
  /(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{1,80})["'`\])]{0,2}\s{0,3}(?:=>|:=|=|:)\s{0,3}(?:"([^"\n]{4,400})"|'([^'\n]{4,400})'|`([^`\n]{4,400})`|([^\s"'`,;|<>]{4,400}))/g;
const OPTION = /(?<![A-Za-z0-9-])--?([a-z][a-z0-9-]{1,40})[ =]["']?([^\s"']{4,400})/g;
/** What is said of a secret in the same sentence. */
const SAID =
  /\b(pass(?:word|phrase|code)|secret|(?:api|access|auth|admin|bot|deploy) ?(?:key|token|secret)|token|credentials?)\b/gi;
const SAYS = /(?:\b(?:is|are|was|reads|to)\b|[:=])\s{1,3}["'`]?([^\s"'`,;]{4,200})/g;
const SAID_WITHIN = 100;
/** The form of a file with logins. */
const LOGIN = /\blogin\s{1,3}\S{1,80}\s{1,3}password\s{1,3}(\S{4,200})/g;

const PASSWORDS = new Set(["password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pgpassword"]);
const TOKENS = new Set(["secret", "secrets", "token", "apikey", "credential", "credentials", "creds", "cred", "auth"]);
const KEY_OF = new Set(
  "api access auth private signing encryption account master client license app application secret ssh service session jwt crypto storage subscription write admin deploy hmac shared function server ingest integration publish bot webhook cookie rails".split(
    " ",
  ),
);
/** What makes of a secret's name the name of something about it. */
const ABOUT =
  /^(?:max|min|input|output|total|cached|num|count|limit|budget|usage|size|type|name|path|file|url|uri|endpoint|arn|length|expiry|expires|ttl|field|header|prefix|policy|required|enabled|estimate|per|used|remaining|window|ref|version|at|manager|scope|scopes|kind|format|tokens|helper|provider|store|report|system)$/;

export function findAssignments(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const check = (name: string, value: string | undefined, from: number, to: number): void => {
    const strength = strengthOf(name);
    if (value === undefined || strength === undefined || !looksRandom(value, strength)) return;
    found.push({ kind: strength === "password" ? "a password" : "a key or token", from, to });
  };
  for (const match of overlapping(text, ASSIGNED)) {
    check(match[1]!, match.slice(2).find(Boolean), match.index, match.index + match[0].length);
  }
  for (const match of overlapping(text, OPTION)) check(match[1]!, match[2], match.index, match.index + match[0].length);
  for (const { index, 0: all, 1: value } of text.matchAll(LOGIN)) check("password", value, index, index + all.length);
  for (const { index, 0: name } of text.matchAll(SAID)) {
    const [sentence = ""] = text.slice(index + name.length, index + name.length + SAID_WITHIN).split(/\n|[.!?]\s/, 1);
    for (const says of sentence.matchAll(SAYS)) {
      const value = says[1]!.replace(/[.)\]}]+$/, "");
      check(name.replaceAll(" ", "_"), value, index, index + name.length + says.index + says[0].length);
    }
  }
  return found;
}

/** Every match, also one that begins in the value of another: `user=app&password=...`. */
function* overlapping(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  const own = new RegExp(pattern.source, pattern.flags);
  for (let match = own.exec(text); match !== null; match = own.exec(text)) {
    yield match;
    own.lastIndex = match.index + match[1]!.length + 1;
  }
}

/** What a name promises of its value; undefined if it is no name of a secret. */
function strengthOf(name: string): Strength | undefined {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_.-]+/)
    .filter(Boolean);
  if (words.some((word) => ABOUT.test(word))) return undefined;
  if (words.some((word) => PASSWORDS.has(word) || /(?:password|passwd)$/.test(word))) return "password";
  if (words.some((word) => TOKENS.has(word) || /(?:apikey|secret|token)$/.test(word))) return "token";
  const isKey = words.some((word, at) => word === "key" && KEY_OF.has(words[at - 1] ?? ""));
  return isKey || words.some((word) => /^(?:api|access|auth|secret|private|signing)key$/.test(word))
    ? "token"
    : undefined;
}
