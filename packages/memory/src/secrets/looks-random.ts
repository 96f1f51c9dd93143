/** How a value must look: people choose passwords, machines generate tokens. */
export type Strength = "password" | "token";

/** A placeholder, or a reference to the source of the value. */
const STAND_IN =
  /^(?:[<{[(]|\$[A-Za-z_({]|%[A-Z_]+%|\*{2}|&[a-z]+$)|\$\{|\{\{|<[a-z_ -]+>|process\.env|os\.environ|getenv|import\.meta|^env[.:[]|secrets?\.|vault:|^op:\/\/|^arn:|^file:|^ref[:+]|\.\.\.|…|\*{3}|x{5}|X{5}|your[-_]|[-_]here$|^(?:example|sample|dummy|fake|mock|test|placeholder|changeme|redacted|todo)|example|placeholder|redacted/i;
const COMMON = new Set(
  "password passwd passphrase secret token required optional bearer basic string number boolean undefined null none true false empty missing invalid expired stored rotated unknown unset changed wrong correct incorrect encrypted hashed unchanged".split(
    " ",
  ),
);
const LINK = /^[a-z][a-z0-9+.-]*:\/\//i;
const PATH =
  /^(?:~|\.{1,2})?\/|^[\w.-]+\/[\w./-]*$|\.(?:[cm]?[jt]sx?|json|md|ya?ml|env|pem|key|txt|py|sh|go|rs|toml|lock|html|css)$/i;
const NUMBER = /^[\d.,:/_%+-]+(?:[a-z]{1,3})?$|^v?\d+(?:\.\d+)+/i;
const DIGEST = /^(?:sha\d+|md5)[:-]/i;
/** A call, or a chain of member names. */
const CODE = /^[A-Za-z_$][\w$.]*\(|=>|^[A-Za-z_$]+(?:\.[A-Za-z_$]+)+$|::/;

/** Whether a value looks like a real secret, not like an example. */
export function looksRandom(written: string, strength: Strength): boolean {
  const value = written.replace(/[.,;:!?)\]}]+$/, "");
  if (STAND_IN.test(value) || COMMON.has(value.toLowerCase())) return false;
  if (LINK.test(value) || NUMBER.test(value) || DIGEST.test(value)) return false;
  // Quoted text, or the rest of a sentence.
  if (/\s/.test(value)) return false;
  return strength === "password" ? isPassword(written, value) : isToken(value);
}

function isPassword(written: string, value: string): boolean {
  if (value.length < 6 || CODE.test(value) || (PATH.test(value) && !isToken(value))) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_-]/].filter((kind) => kind.test(written)).length;
  if (/\d/.test(value) || /[^A-Za-z0-9_.-]/.test(value)) return classes >= 2 && !isIdentifier(value);
  return isRandom(value) || value.split("-").length >= 4;
}

function isToken(value: string): boolean {
  if (value.length < 16 || CODE.test(value) || isPathOfWords(value)) return false;
  if (/^[0-9a-f-]+$/i.test(value)) return value.length >= 20 && /\d/.test(value) && /[a-f]/i.test(value);
  if (isIdentifier(value)) return false;
  return isRandom(value);
}

/** Base64 has slashes too, but hardly any words between them. */
function isPathOfWords(value: string): boolean {
  return value.includes("/") && value.split("/").every((part) => /^[A-Za-z_.@-]*\d{0,3}$/.test(part));
}

/** Words, perhaps with a number: `step2`, `tokenV2`, `my-secret-name-1`. */
function isIdentifier(value: string): boolean {
  const words = value.split(/[_.\-/]+|(?<=[a-z])(?=[A-Z])/);
  return words.length > 1 && words.every((word) => /^(?:[A-Z]?[a-z]+\d{0,2}|[A-Z]+\d{0,2}|v?\d{1,4})$/.test(word));
}

/** Whether letters, digits and cases alternate as in no word. */
function isRandom(value: string): boolean {
  if (value.length < 12 || bitsPerCharacter(value) < 3) return false;
  const kinds = [...value].map((character) =>
    /[a-z]/.test(character) ? "a" : /[A-Z]/.test(character) ? "A" : /\d/.test(character) ? "1" : "-",
  );
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return changes / value.length >= 0.25;
}

/** Returns the Shannon entropy of the characters. */
function bitsPerCharacter(value: string): number {
  const counts = Map.groupBy(value, (character) => character);
  return [...counts.values()].reduce((sum, same) => {
    const share = same.length / value.length;
    return sum - share * Math.log2(share);
  }, 0);
}
