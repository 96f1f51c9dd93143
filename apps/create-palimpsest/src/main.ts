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
  ANTHROPIC_API_KEY=... npm start        # with a real one`);
}
