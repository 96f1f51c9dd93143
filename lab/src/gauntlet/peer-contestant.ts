import { readFileSync } from "node:fs";
import { installPackages } from "../load-peers.ts";
import type { Contestant } from "./contestant.ts";
import { loopContestant } from "./loop-contestant.ts";

/** Published libraries and agents, in a package of their own. */
const FOLDER: URL = new URL("../../gauntlet/", import.meta.url);

export interface PeerContestant extends Pick<Contestant, "name" | "api" | "summaryPrompt"> {
  /** Those whose versions are told. */
  readonly packages: readonly string[];
}

/** A published library, in the loop of the file of its name in lab/gauntlet. */
export function peerContestant({ packages, ...peer }: PeerContestant): Contestant {
  const contestant = loopContestant({
    ...peer,
    kind: "library",
    module: new URL(`${peer.name}.ts`, FOLDER),
    version: () => packages.map(pinnedVersion).join(" "),
  });
  return {
    ...contestant,
    start(place) {
      installPeersOfGauntlet();
      return contestant.start(place);
    },
  };
}

/** The folder of a peer's package. */
export function peerFolder(name: string): URL {
  return new URL(`node_modules/${name}/`, FOLDER);
}

export function installPeersOfGauntlet(): void {
  installPackages({ folder: FOLDER, what: "the other contestants", size: "1.4 GB" });
}

/** A package with the version that is installed. */
export function pinnedVersion(name: string): string {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", FOLDER), "utf8"));
  return `${name}@${dependencies[name]}`;
}
