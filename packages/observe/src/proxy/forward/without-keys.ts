/** A path whose query holds no key. */
export function withoutKeys(path: string): string {
  return path.replaceAll(/([?&](?:key|api[-_]?key|access_token|token|sig)=)[^&]*/gi, "$1left-out");
}
