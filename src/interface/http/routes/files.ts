/** Knowledge files over HTTP: rules in knowledge/. */

import { recordOf, wireOf } from "../../../core/wire-names.ts";
import type { FileRecord } from "../../../domain/knowledge/files.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/files.ts";
import type { RouteContext } from "./context.ts";

const present = (file: FileRecord) => wireOf(contracts.KnowledgeFile, file);

export const fileRoutes = ({ dependencies }: RouteContext) => {
  const { files } = dependencies.services;
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
