import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { S3Client } from "@aws-sdk/client-s3";
import { startWithUs } from "../test-server/start-with-us.ts";

export interface StartedS3 {
  readonly client: S3Client;
  readonly bucket: string;
  /** The folder in which the server keeps everything: for what is not to be found anywhere. */
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * The port is in a file, because nothing else comes back from the process. Signatures are not compared: the server takes the path of a
 * bucket, with its slash at the end, for another one than the client signed.
 */
const SCRIPT = `const [, path, directory, bucket] = process.argv;
const S3rver = require(path);
const server = new S3rver({
  port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets: [{ name: bucket }], allowMismatchedSignatures: true,
});
server.run().then(({ port }) => {
  require("node:fs").writeFileSync(directory + "/port.new", String(port));
  require("node:fs").renameSync(directory + "/port.new", directory + "/port");
});`;

/** Starts an S3 server in a process of its own, so that its memory is not ours. It ends with `stop`, or with this process. */
export async function startS3(): Promise<StartedS3> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-s3-"));
  const bucket = "results";
  const path = fileURLToPath(import.meta.resolve("@20minutes/s3rver"));
  const child = startWithUs([process.execPath, "-e", SCRIPT, path, folder, bucket], { cwd: folder, user: undefined });
  const port = join(folder, "port");
  while (!existsSync(port)) {
    child.assertRunning();
    await wait(20);
  }
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${readFileSync(port, "utf8")}`,
    region: "us-east-1",
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    forcePathStyle: true,
  });
  return {
    client,
    bucket,
    folder,
    async stop() {
      client.destroy();
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
