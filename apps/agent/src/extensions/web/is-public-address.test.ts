import { expect, test } from "vitest";
import { isPublicAddress } from "./fetch-page.ts";

test.each(["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"])(
  "%s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.31.0.1", "192.168.0.1"],
  ...["198.19.0.1", "224.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1"],
  ...["64:ff9b::808:808", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::"],
  ...["fe80::1%eth0", "2606:4700::1111%eth0", "", "localhost", "127.1", "0x7f000001"],
])("%j is not a public address", (address) => expect(isPublicAddress(address)).toBe(false));
