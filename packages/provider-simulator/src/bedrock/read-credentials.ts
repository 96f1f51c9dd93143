import type { HttpCall } from "../http-face.ts";

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/[\w-]+\/bedrock\/aws4_request, ?SignedHeaders=([\w:;-]+), ?Signature=[0-9a-f]{64}$/;

/**
 * Whose credentials a call has: an API key, or the access key of a signature for this service. The form of a signature is checked, with
 * its date and the headers that must be signed; not the signature itself, because the simulator knows no secret key.
 */
export function readCredentials({ headers }: HttpCall): string | undefined {
  const { authorization = "" } = headers;
  const token = /^Bearer\s+(\S+)$/.exec(authorization)?.[1];
  if (token !== undefined) return token;
  const [, accessKeyId, signed = ""] = SIGNATURE.exec(authorization) ?? [];
  const isDated = /^\d{8}T\d{6}Z$/.test(headers["x-amz-date"] ?? "");
  const names = signed.split(";");
  // The host has another name in HTTP/2.
  const isWhole = (names.includes("host") || names.includes(":authority")) && names.includes("x-amz-date");
  return isDated && isWhole ? accessKeyId : undefined;
}
