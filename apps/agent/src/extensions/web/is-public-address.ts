import { BlockList, isIP } from "node:net";

/** Ranges that lead to this machine, its network, a cloud's own services, or nowhere (IANA's registries of special addresses). */
const CLOSED_IPV4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
  // A metadata service of one cloud has a public address.
  "168.63.129.16/32",
];
/** All that is public so far. What maps an IPv4 address (::ffff:, 64:ff9b::) lies outside of it. */
const OPEN_IPV6 = "2000::/3";
/** In that: Teredo and 6to4, which carry an IPv4 address; examples; numbers for tests. */
const CLOSED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Whether an address belongs to the public internet. What is no address does not. */
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
