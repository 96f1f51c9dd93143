/** The characters that every provider accepts in the id of a call or the name of a tool. */
const SAFE_ID_LENGTH = 40;
const SAFE_NAME_LENGTH = 128;

/**
 * Returns the id under which a call is sent: its own, or a safe one if providers refuse its characters or if it was used before
 * (some local servers repeat ids). The entry's number makes the new id unique and repeatable.
 */
export function safeCallId(id: string, entry: number, isUsed: (id: string) => boolean): string {
  const safe = isSafe(id, SAFE_ID_LENGTH) ? id : `call_${entry}`;
  if (!isUsed(safe)) return safe;
  for (let count = 1; ; count++) {
    const candidate = `call_${entry}_${count}`;
    if (!isUsed(candidate)) return candidate;
  }
}

/** The name under which a call is sent. */
export function safeToolName(name: string): string {
  if (isSafe(name, SAFE_NAME_LENGTH)) return name;
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, SAFE_NAME_LENGTH);
  return safe === "" ? "unnamed" : safe;
}

function isSafe(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(text);
}
