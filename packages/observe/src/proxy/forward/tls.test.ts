import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../testing/certificate.ts";
import { startService } from "../testing/start-service.ts";
import { startTestProxy } from "../testing/start-test-proxy.ts";

const TLS = { key: TEST_KEY, cert: TEST_CERTIFICATE };

test("a service is reached over TLS by its name, and one that nobody vouches for gets not a byte", async () => {
  const service = await startService((response) => response.end("over TLS"), TLS);
  const { host } = new URL(service.url);
  const proxy = await startTestProxy(service.url);
  const send = () => fetch(`${proxy.url}/service/v1/files`, { method: "POST", body: "secret" });
  const refused = await send();
  expect(refused.status).toBe(502);
  expect(await refused.text()).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(service.received).toEqual([]);

  const before = getCACertificates("default");
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, TEST_CERTIFICATE]);
  const sent = await send();
  expect({ status: sent.status, text: await sent.text() }).toEqual({ status: 200, text: "over TLS" });
  const [{ rawHeaders, body }] = service.received as [(typeof service.received)[0]];
  expect(rawHeaders[rawHeaders.findIndex((name) => /^host$/i.test(name)) + 1]).toBe(host);
  expect(String(body)).toBe("secret");
});
