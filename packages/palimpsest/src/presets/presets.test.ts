import { expect, test } from "vitest";
import { checkPolicy } from "../policy/check.ts";
import { CODING, SUPPORT } from "../policy/weigh.ts";
import { classic } from "./classic.ts";
import { coding, codingNotes } from "./coding.ts";
import { support } from "./support.ts";

const PRESETS = [
  classic,
  ...(Object.keys(CODING) as (keyof typeof CODING)[]).map((profile) => coding(profile, { notes: codingNotes() })),
  ...(Object.keys(SUPPORT) as (keyof typeof SUPPORT)[]).map((profile) => support({ ids: /ORD-\d+/, profile })),
].map((policy) => [policy.name, policy] as const);

test.each(PRESETS)("the preset %s passes the checks for policies of builders", (_, policy) => {
  expect(checkPolicy(policy)).toEqual([]);
});
