// After the build: a compressed form of each asset beside it, and the list of assets by which the gateway serves them.
// Fails if what the first page needs is larger than it may be.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Of all that a browser loads before the first page is there, gzip'ed. */
const FIRST_LOAD = 300 << 10;

const build = new URL("../build/", import.meta.url);
const assets = new URL("assets/", build);
const gzipped = new Map();
const names = readdirSync(assets).filter((name) => !/\.(gz|br)$/.test(name));
for (const name of names) {
  const bytes = readFileSync(new URL(name, assets));
  const gzip = gzipSync(bytes, { level: 9 });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  gzipped.set(name, gzip.length);
  writeFileSync(new URL(`${name}.gz`, assets), gzip);
  writeFileSync(new URL(`${name}.br`, assets), brotli);
}
writeFileSync(new URL("assets.txt", build), names.sort().join("\n") + "\n");

const index = readFileSync(new URL("index.html", build), "utf8");
const first = names.filter((name) => index.includes(`/assets/${name}`));
const size = first.reduce((sum, name) => sum + gzipped.get(name), 0);
console.log(`first load: ${(size / 1024).toFixed(0)} KiB gzip'ed, of ${(FIRST_LOAD / 1024).toFixed(0)}`);
if (size > FIRST_LOAD) {
  console.error(first.map((name) => `${name} ${gzipped.get(name)}`).join("\n"));
  process.exit(1);
}
