/** Recordings by signed link: no key, bounded life, byte ranges (RFC 9110 14). */
import { notFound } from "../../core/errors.ts";
import { callHistoryStore } from "../../store/call-history-store.ts";
import { byteRange } from "../byte-range.ts";
import { rawRoute } from "../contract.ts";
import { getRecording } from "../contracts/calls.ts";
import type { RouteContext } from "./context.ts";

export const recordingRoutes = ({ dependencies, recordingLinks }: RouteContext) => {
  const { database, recordings } = dependencies;

  async function fileOf(callUuid: string) {
    const stored = await callHistoryStore(database.read).recordingFile(callUuid);
    const path = stored === null ? null : await recordings.locate(stored);
    if (path === null) throw notFound("recording");
    return Bun.file(path);
  }

  return [
    rawRoute(getRecording)(async ({ params, query, http }) => {
      if (!recordingLinks.verify(params.uuid, query.expires, query.signature))
        throw notFound("recording");
      const file = await fileOf(params.uuid);
      const headers = {
        "content-type": "audio/mpeg",
        "accept-ranges": "bytes",
        "cache-control": "private, no-store",
        "content-disposition": `inline; filename="${params.uuid}.mp3"`,
      };
      const range = byteRange(http.headers.get("range"), file.size);
      if (range.kind === "unsatisfiable")
        return new Response(null, {
          status: 416,
          headers: { ...headers, "content-range": `bytes */${file.size}` },
        });
      if (range.kind === "whole") return new Response(file, { headers });
      return new Response(file.slice(range.start, range.end + 1, "audio/mpeg"), {
        status: 206,
        headers: { ...headers, "content-range": `bytes ${range.start}-${range.end}/${file.size}` },
      });
    }),
  ];
};
