import { expect, test } from "vitest";
import { programFolders } from "./find-program.ts";

const places = { home: "/srv/me", roots: ["/srv/me/code/shop"] };

test("what PATH names in a home can be read, with the libraries beside it, but not the home and not the project", () => {
  const ofHome = "/srv/me/n/bin:/srv/me/tools:/root/.cache/node/bin:/srv/me/bin";
  const others = ".:relative/bin:/srv/me:/srv:/:/usr/bin:/srv/me/code/shop/node_modules/.bin:/srv/me/code:";
  expect(programFolders(`${ofHome}:${others}`, places)).toEqual([
    ...["/srv/me/n/bin", "/srv/me/n/lib", "/srv/me/tools"],
    ...["/root/.cache/node/bin", "/root/.cache/node/lib", "/srv/me/bin"],
  ]);
  expect(programFolders(undefined, places)).toEqual([]);
});
