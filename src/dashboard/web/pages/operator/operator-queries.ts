/** Queries that only the operator may make. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, own } from "../../api/client.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export const tenantsQuery = (search: string, offset: number, limit: number) =>
  queryOptions({
    queryKey: ["operator", "tenants", search, offset],
    queryFn: () =>
      answer(own.GET("/operator/tenants", { params: { query: { search, offset, limit } } })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
export const waitingQuery = (search: string, offset: number, limit: number) =>
  queryOptions({
    queryKey: ["operator", "checkouts", search, offset],
    queryFn: () =>
      answer(own.GET("/operator/checkouts", { params: { query: { search, offset, limit } } })),
    placeholderData: keepPreviousData,
  });
export const healthQuery = queryOptions({
  queryKey: ["operator", "health"],
  queryFn: () => answer(own.GET("/operator/health")),
});
export const noticesQuery = queryOptions({
  queryKey: ["operator", "call-notices"],
  queryFn: async () => (await answer(own.GET("/operator/call-notices"))).notices,
});
export const nodesQuery = queryOptions({
  queryKey: ["operator", "nodes"],
  queryFn: async () => (await answer(own.GET("/operator/nodes"))).nodes,
  refetchInterval: 5_000,
});
export const backupsQuery = queryOptions({
  queryKey: ["operator", "backups"],
  queryFn: () => answer(own.GET("/operator/backups")),
});
export const logsQuery = (query: {
  offset: number;
  limit: number;
  level?: LogLevel;
  call?: string;
}) =>
  queryOptions({
    queryKey: ["operator", "logs", query],
    queryFn: () => answer(own.GET("/operator/logs", { params: { query } })),
    placeholderData: keepPreviousData,
  });
export const mailsQuery = (status: "dead" | "pending", offset: number, limit: number) =>
  queryOptions({
    queryKey: ["operator", "mails", status, offset],
    queryFn: () =>
      answer(own.GET("/operator/mails", { params: { query: { status, offset, limit } } })),
    placeholderData: keepPreviousData,
  });
