/** Recordings by signed link: no key, bounded life, byte ranges (RFC 9110 14). */

import { notFound } from "../../../core/errors.ts";
import { byteRange } from "../byte-range.ts";
import { rawRoute } from "../contract.ts";
import { getRecording } from "../contracts/calls.ts";
import type { RouteContext } from "./context.ts";

export const recordingRoutes = ({ dependencies, recordingLinks }: RouteContext) => {
  const { services, recordings } = dependencies;

  async function pathOf(callUuid: string): Promise<string> {
    const stored = await services.callRecords.linkedRecordingFile(callUuid);
    const path = stored === null ? null : await recordings.locate(stored);
    if (path === null) throw notFound("recording");
    return path;
  }

  return [
    rawRoute(getRecording)(async ({ params, query, http }) => {
      if (!recordingLinks.verify(params.uuid, query.expires, query.signature))
        throw notFound("recording");
      return recordingResponse(await pathOf(params.uuid), params.uuid, http);
    }),
  ];
};

/** The MP3, or the part of it that is asked for. */
export function recordingResponse(path: string, callUuid: string, request: Request): Response {
  const file = Bun.file(path);
  const headers = {
    "content-type": "audio/mpeg",
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-disposition": `inline; filename="${callUuid}.mp3"`,
  };
  const range = byteRange(request.headers.get("range"), file.size);
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
}
