import { BlockList, isIP } from "node:net";

/** Ranges of this machine, local networks, cloud services and reserved addresses (IANA's special-purpose registries). */
const CLOSED_IPV4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
  // The metadata service of one cloud has a public address.
  "168.63.129.16/32",
];
/** The public IPv6 range. Mapped IPv4 addresses (::ffff:, 64:ff9b::) are outside of it. */
const OPEN_IPV6 = "2000::/3";
/** Closed parts of it: Teredo and 6to4, which contain an IPv4 address; documentation; tests. */
const CLOSED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Whether an address belongs to the public internet. False for an invalid address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !listOf(CLOSED_IPV4, "ipv4").check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return listOf([OPEN_IPV6], "ipv6").check(address, "ipv6") && !listOf(CLOSED_IPV6, "ipv6").check(address, "ipv6");
}

function listOf(ranges: readonly string[], type: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start, bits] = range.split("/");
    list.addSubnet(start!, Number(bits), type);
  }
  return list;
}
