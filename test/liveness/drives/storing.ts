import { callTool, callTools } from "@palimpsest/provider-simulator";
import { memoryResults, user } from "palimpsest";
import type { Drive } from "../experiment.ts";
import { openWorld, prose } from "../world.ts";

/** A large result, several that are large together, and a long paste. */
export const storeResults: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open();
  const several = [0, 1, 2].map((file) => callTool("Read", { file_path: `${file}`, words: 1_500 }));
  await world.turn(session, prose("paste-", 1_500), [
    callTools(callTool("Bash", { words: 8_000 })),
    callTools(...several),
  ]);
  const stored = world.sent.join("\n").match(/Recall entry (\d+)/);
  if (stored !== null) await session.recall({ entry: Number(stored[1]) });
  await session.recall({ search: "paste-3" });
  await session.close();
  return world.sent;
};

/** There is no room for it. */
export const storeOnFullDisk: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const files = { ...memoryResults(), create: () => Promise.reject(new Error("the disk is full")) };
  const session = await world.open({ files });
  await world.turn(session, "Run it.", [callTools(callTool("Bash", { words: 8_000 }))]);
  await session.close();
  return world.sent;
};

/** A page that is called an image. */
export const attachBadImage: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open();
  const source = { kind: "base64", mediaType: "image/png", data: btoa("<!DOCTYPE html>") } as const;
  await session.append(user([{ kind: "image", source }]));
  await world.turn(session, "What is it?");
  await session.close();
  return world.sent;
};
