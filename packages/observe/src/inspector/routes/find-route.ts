import type { Question, Route } from "./route.ts";

/** The route of an address, and the parts of the path that it names; undefined if there is none. */
export function findRoute(
  routes: readonly Route[],
  url: URL,
): { readonly route: Route; readonly question: Question } | undefined {
  const parts = url.pathname.split("/");
  for (const route of routes) {
    const names = route.path.split("/");
    if (names.length !== parts.length) continue;
    const fits = names.every((name, index) => (name.startsWith(":") ? parts[index] !== "" : name === parts[index]));
    if (!fits) continue;
    const named = names.flatMap((name, index) =>
      name.startsWith(":") ? [[name.slice(1), decode(parts[index]!)] as const] : [],
    );
    return { route, question: { parameters: Object.fromEntries(named), query: url.searchParams } };
  }
  return undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
