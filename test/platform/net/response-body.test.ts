/** A body is decompressed without holding up other work, whatever its size becomes. */
import { expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { decompress } from "../../../src/platform/net/response-body.ts";

const SIZE = 4 * 1024 * 1024;
const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

test.each(Object.entries(packers))("%s: other work goes on meanwhile", async (encoding, pack) => {
  const packed = pack(Buffer.alloc(SIZE, "a page of a site "));
  const order: string[] = [];
  setImmediate(() => order.push("other work"));
  const body = await decompress(packed, ` ${encoding.toUpperCase()}`, SIZE);
  order.push("decompressed");
  expect([order, body.length]).toEqual([["other work", "decompressed"], SIZE]);
});

test.each(Object.entries(packers))("%s: one byte too many is too large", async (encoding, pack) => {
  const packed = pack(Buffer.alloc(SIZE));
  const failure = await decompress(packed, encoding, SIZE - 1).catch((error) => error.failure);
  expect(failure).toBe("too_large");
});
