/** Knowledge files over HTTP: rules in knowledge/. */

import { fileStore } from "../../../adapter/store/file-store.ts";
import { quotaStore } from "../../../adapter/store/quota-store.ts";
import { recordOf, wireOf } from "../../../core/wire-names.ts";
import { createQuotas } from "../../../domain/billing/quotas.ts";
import { type FileRecord, Files } from "../../../domain/knowledge/files.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/files.ts";
import type { RouteContext } from "./context.ts";

const present = (file: FileRecord) => wireOf(contracts.KnowledgeFile, file);

export const fileRoutes = ({ dependencies }: RouteContext) => {
  const { database, billing, clock } = dependencies;
  const files = new Files({
    ...{ database, records: fileStore, billing, clock },
    quotas: createQuotas(billing, quotaStore),
  });
  return [
    route(contracts.listFiles)(async ({ tenantId }) => ({
      ok: true,
      files: (await files.list(tenantId)).map(present),
    })),
    route(contracts.createFile)(async ({ tenantId, body }) => ({
      ok: true,
      file: present(await files.create(tenantId, recordOf(body))),
    })),
    route(contracts.getFile)(async ({ tenantId, params }) => {
      const file = await files.get(tenantId, params.id);
      return { ok: true, file: { ...present(file), content: file.content } };
    }),
    route(contracts.updateFile)(async ({ tenantId, params, body }) => ({
      ok: true,
      file: present(await files.update(tenantId, params.id, recordOf(body))),
    })),
    route(contracts.deleteFile)(async ({ tenantId, params }) => {
      await files.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
