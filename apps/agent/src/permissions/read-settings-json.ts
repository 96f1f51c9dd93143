/** Larger files are no settings. */
export const MAX_SETTINGS_BYTES = 1_048_576;
/** What a settings file holds is six levels deep. */
const MAX_DEPTH = 32;

/** Parses a settings file, which may come from a repository that nobody trusts. A text says what is wrong with it. */
export function readSettingsJson(json: string): { readonly value: unknown } | { readonly problem: string } {
  if (json.length > MAX_SETTINGS_BYTES)
    return { problem: `the file has ${json.length} characters, at most ${MAX_SETTINGS_BYTES} are read` };
  if (isDeep(json)) return { problem: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    return { problem: `no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Looked at before it is parsed: whoever walks what is nested deeply by recursion ends. */
function isDeep(json: string): boolean {
  let depth = 0;
  // Brackets in texts are none. What is no JSON may be counted wrongly: it is refused anyway.
  for (const [found] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (found === "[" || found === "{") depth++;
    else if (found === "]" || found === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
