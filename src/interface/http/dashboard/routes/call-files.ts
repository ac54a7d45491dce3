/** A call's recording and its waveform, and calls as CSV. */

import { isoUtc } from "../../../../core/clock.ts";
import { notFound } from "../../../../core/errors.ts";
import { rawRoute, route } from "../../contract.ts";
import { csvResponse } from "../../csv-response.ts";
import { filterOf } from "../../routes/calls.ts";
import { recordingResponse } from "../../routes/recordings.ts";
import * as contracts from "../contracts/calls.ts";
import type { ProductContext } from "./context.ts";

export const callFileRoutes = ({ dependencies }: ProductContext) => {
  const { services, recordings, clock } = dependencies;
  const { callRecords } = services;
  return [
    route(contracts.getPeaks)(async ({ tenantId, params }) => {
      const peaks = await callRecords.peaks(tenantId, params.uuid);
      return {
        ok: true,
        peaks: {
          duration_ms: peaks.durationMs,
          samples_per_second: peaks.slotsPerSecond,
          left: [...peaks.left],
          right: [...peaks.right],
        },
      };
    }),
    rawRoute(contracts.getAudio)(async ({ tenantId, params, http }) => {
      const path = await recordings.locate(await callRecords.recordingFile(tenantId, params.uuid));
      if (path === null) throw notFound("recording");
      return recordingResponse(path, params.uuid, http);
    }),
    rawRoute(contracts.callsCsv)(async ({ tenantId, query }) => {
      const day = isoUtc(clock.now()).slice(0, 10);
      return csvResponse(callRecords.csv(tenantId, filterOf(query)), `calls-${day}.csv`);
    }),
  ];
};
