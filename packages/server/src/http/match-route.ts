import type { Route } from "./route.ts";

export type Matched =
  | { readonly kind: "matched"; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The address is known, with other methods. */
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown-path" };

/** Makes a function that finds the route of a request. Parameters may hold any character, encoded. */
export function routeFinder(routes: readonly Route[]): (method: string, path: string) => Matched {
  const table = routes.map((route) => ({ route, steps: route.path.split("/") }));
  return (method, path) => {
    const steps = path.split("/");
    const found = table.flatMap(({ route, steps: wanted }) => {
      const params = paramsOf(wanted, steps);
      return params === undefined ? [] : [{ route, params }];
    });
    const matched = found.find(({ route }) => route.method === method);
    if (matched !== undefined) return { kind: "matched", ...matched };
    return found.length === 0
      ? { kind: "unknown-path" }
      : { kind: "wrong-method", allowed: found.map(({ route }) => route.method) };
  };
}

/** The parameters in an address; undefined if it is another one. */
function paramsOf(wanted: readonly string[], steps: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (wanted.length !== steps.length) return undefined;
  const params: [string, string][] = [];
  for (const [index, step] of wanted.entries()) {
    const given = steps[index]!;
    if (!step.startsWith("{")) {
      if (step !== given) return undefined;
      continue;
    }
    const decoded = decode(given);
    if (decoded === undefined || decoded === "") return undefined;
    params.push([step.slice(1, -1), decoded]);
  }
  return Object.fromEntries(params);
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
