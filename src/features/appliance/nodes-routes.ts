/** The operator's nodes and backups. */

import { basename } from "node:path";
import { z } from "zod";
import { contract, type Route, route } from "../../http/contract.ts";
import { askServices, OPERATOR_PAGES } from "../../http/contracts/ask.ts";
import { operations } from "../../http/contracts/operations.ts";
import { flag, okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import type { BackupSummary } from "../../ops/backup/backups.ts";
import { Backup } from "./contract.ts";
import { ApplianceNode } from "./nodes-contract.ts";

const OperatorNode = ApplianceNode.meta({ id: "OperatorNode" });

export const listNodes = contract({
  operationId: "operatorListNodes",
  at: "GET /operator/nodes",
  tag: "Operator",
  role: operations["node.list"].role,
  summary: "List the nodes of the cluster with their trunks and calls",
  reply: okReply({ nodes: z.array(OperatorNode) }),
});

export const drainNode = contract({
  operationId: "operatorDrainNode",
  at: "PATCH /operator/nodes",
  noun: "node",
  tag: "Operator",
  role: operations["node.drain"].role,
  summary: "Drain a node, or end the draining",
  description: "A drained node transfers its trunks to the other nodes. Its live calls continue.",
  body: z
    .strictObject({
      ...operations["node.drain"].input.shape,
      draining: flag("Whether to drain the node. `false`: it accepts trunks again.", true),
    })
    .meta({ id: "OperatorNodeChanges" }),
  reply: okReply({ node: OperatorNode }),
  errors: ["conflict"],
});

const NamedBackup = Backup.meta({ id: "Backup" });

export const listBackups = contract({
  operationId: "operatorListBackups",
  at: "GET /operator/backups",
  tag: "Operator",
  role: "operator",
  summary: "Backups, newest first",
  reply: okReply({
    backups: z.array(NamedBackup),
    problem: shown(
      z.string().nullable(),
      "Reason of the last failure. `null` if there was none.",
      null,
    ),
  }),
});

export const createBackup = contract({
  operationId: "operatorCreateBackup",
  at: "POST /operator/backups",
  tag: "Operator",
  role: operations["backup.create"].role,
  summary: "Make a backup now",
  reply: okReply({ backup: NamedBackup }),
  errors: ["conflict"],
});

const presentBackup = (backup: BackupSummary) => ({ ...backup, file: basename(backup.file) });

export const operatorNodeRoutes = ({ dependencies, parts }: ProductContext): Route[] => {
  const { statusSources } = parts;
  const ask = askServices(dependencies.services, OPERATOR_PAGES);
  return [
    route(listNodes)(async () => ({ ok: true, nodes: await ask("node.list", {}) })),
    route(drainNode)(async ({ body: { node, draining } }) => ({
      ok: true,
      node: await ask(draining ? "node.drain" : "node.resume", { node }),
    })),
    route(listBackups)(async () => ({
      ok: true,
      backups: parts.backups().map(presentBackup),
      problem: statusSources.backup().problem,
    })),
    route(createBackup)(async () => ({
      ok: true,
      backup: presentBackup(await ask("backup.create", { to: null })),
    })),
  ];
};
