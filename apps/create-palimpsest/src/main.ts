#!/usr/bin/env node
import { createProject } from "./create-project.ts";

const [folder = "my-agent"] = process.argv.slice(2);
const created = createProject(folder);
if (created.kind === "refused") {
  console.error(created.why);
  process.exitCode = 1;
} else {
  console.log(`Created an agent in ${folder}. Next:

  cd ${folder}
  npm install
  npm start                              # against a simulated model
  ANTHROPIC_API_KEY=... npm start        # with a real one

If npm install ends with E404, the packages are not on npm yet. Then install the
tarballs that "npm run pack -- FOLDER" in the repository writes:

  npm install FOLDER/palimpsest-[0-9]*.tgz FOLDER/palimpsest-provider-simulator-*.tgz`);
}
