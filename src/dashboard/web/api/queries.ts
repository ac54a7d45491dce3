/** The queries to the server: one `queryOptions` per resource, with its cache key. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, own, rest, versioned } from "./client.ts";
import type { operations as OwnOperations } from "./dashboard.gen.ts";

/** Type of the data that a query loads. */
export type QueryData<Options extends { queryFn?: unknown }> =
  NonNullable<Options["queryFn"]> extends (...asked: never[]) => infer Answer
    ? Awaited<Answer>
    : never;

const LIVE_MS = 10_000;

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => answer(own.GET("/session")),
  staleTime: 60_000,
});

export const homeQuery = queryOptions({
  queryKey: ["home"],
  queryFn: () => answer(own.GET("/home")),
  refetchInterval: LIVE_MS,
});
export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: async () => (await answer(rest.GET("/agents"))).agents,
});
export const agentQuery = (id: number) =>
  queryOptions({
    queryKey: ["agents", id],
    queryFn: () =>
      versioned(rest.GET("/agents/{id}", { params: { path: { id } } }), ({ agent }) => agent),
  });
export const agentVersionsQuery = (id: number) =>
  queryOptions({
    queryKey: ["agents", id, "versions"],
    queryFn: async () => {
      const asked = { path: { id }, query: { limit: 50 } };
      return (await answer(rest.GET("/agents/{id}/versions", { params: asked }))).versions;
    },
  });
/** Data is `draft: null` if the agent has no draft. */
export const agentDraftQuery = (id: number) =>
  queryOptions({
    queryKey: ["agents", id, "draft"],
    queryFn: () => answer(rest.GET("/agents/{id}/draft", { params: { path: { id } } })),
  });
/** The newest split, open or closed; null if the agent never had one. */
export const agentSplitQuery = (id: number) =>
  queryOptions({
    queryKey: ["agents", id, "split"],
    queryFn: async () =>
      (await answer(rest.GET("/agents/{id}/split", { params: { path: { id } } }))).split,
  });
export const comparisonQuery = (id: number, { from, to }: { from: number; to: number | "draft" }) =>
  queryOptions({
    queryKey: ["agents", id, "comparison", from, to],
    queryFn: async () => {
      const asked = { path: { id }, query: { from, to: String(to) } };
      return await answer(rest.GET("/agents/{id}/comparison", { params: asked }));
    },
  });
export const applianceQuery = queryOptions({
  queryKey: ["appliance"],
  queryFn: async () => (await answer(own.GET("/appliance"))).appliance,
});
export const filesQuery = queryOptions({
  queryKey: ["files"],
  queryFn: async () => (await answer(rest.GET("/files"))).files,
});
export const fileQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", id],
    queryFn: () =>
      versioned(rest.GET("/files/{id}", { params: { path: { id } } }), ({ file }) => file),
  });
export const sitesQuery = queryOptions({
  queryKey: ["sites"],
  queryFn: async () => (await answer(own.GET("/knowledge-sites"))).sites,
  refetchInterval: ({ state }) => (state.data?.some(({ reading }) => reading) ? 3_000 : false),
});
export const unansweredQuery = queryOptions({
  queryKey: ["unanswered"],
  queryFn: async () => (await answer(own.GET("/unanswered-questions"))).questions,
});
export const toolsQuery = queryOptions({
  queryKey: ["tools"],
  queryFn: async () => (await answer(own.GET("/tools"))).tools,
});
export const toolQuery = (id: number) =>
  queryOptions({
    queryKey: ["tools", id],
    queryFn: () =>
      versioned(own.GET("/tools/{id}", { params: { path: { id } } }), ({ tool }) => tool),
  });
export const numbersQuery = queryOptions({
  queryKey: ["numbers"],
  queryFn: async () => (await answer(rest.GET("/phone-numbers"))).phone_numbers,
});
export const trunkQuery = queryOptions({
  queryKey: ["trunk"],
  queryFn: async () => {
    const { trunk, version } = await versioned(own.GET("/trunk"), (reply) => reply);
    return trunk && { ...trunk, version };
  },
  refetchInterval: LIVE_MS,
});

type CallsAsked = NonNullable<OwnOperations["findCalls"]["parameters"]["query"]>;
export const callsQuery = (query: CallsAsked) =>
  queryOptions({
    queryKey: ["calls", query],
    queryFn: () => answer(own.GET("/calls", { params: { query } })),
    placeholderData: keepPreviousData,
  });
export const callTagsQuery = queryOptions({
  queryKey: ["call-tags"],
  queryFn: async () => (await answer(own.GET("/call-tags"))).tags,
});
export const callAnnotationsQuery = (uuid: string) =>
  queryOptions({
    queryKey: ["call", uuid, "annotations"],
    queryFn: () => answer(own.GET("/calls/{uuid}/annotations", { params: { path: { uuid } } })),
  });
export const contactsFoundQuery = (search: string, limit: number) =>
  queryOptions({
    queryKey: ["contacts", "found", search, limit],
    queryFn: async () =>
      (await answer(rest.GET("/contacts", { params: { query: { search, limit } } }))).contacts,
  });
export const callQuery = (uuid: string) =>
  queryOptions({
    queryKey: ["call", uuid],
    queryFn: async () =>
      (await answer(rest.GET("/calls/{uuid}", { params: { path: { uuid } } }))).call,
  });
export const callDetailsQuery = (uuid: string) =>
  queryOptions({
    queryKey: ["call", uuid, "details"],
    queryFn: async () =>
      (await answer(own.GET("/calls/{uuid}/details", { params: { path: { uuid } } }))).details,
  });
export const peaksQuery = (uuid: string) =>
  queryOptions({
    queryKey: ["call", uuid, "peaks"],
    queryFn: async () =>
      (await answer(own.GET("/calls/{uuid}/peaks", { params: { path: { uuid } } }))).peaks,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type ScheduleStatus = "pending" | "fired" | "cancelled" | "missed" | "failed";
export const schedulesQuery = (status: ScheduleStatus | undefined, offset: number, limit: number) =>
  queryOptions({
    queryKey: ["schedules", status, offset, limit],
    queryFn: async () =>
      (await answer(rest.GET("/schedules", { params: { query: { status, offset, limit } } })))
        .schedules,
    placeholderData: keepPreviousData,
  });

export const analyticsQuery = (days: number) =>
  queryOptions({
    queryKey: ["analytics", days],
    queryFn: () => answer(rest.GET("/analytics", { params: { query: { days } } })),
    placeholderData: keepPreviousData,
  });
export const usageQuery = (year: number, month: number) =>
  queryOptions({
    queryKey: ["usage", year, month],
    queryFn: () => answer(rest.GET("/usage", { params: { query: { year, month } } })),
    placeholderData: keepPreviousData,
  });
export const balanceQuery = queryOptions({
  queryKey: ["balance"],
  queryFn: () => answer(rest.GET("/billing/balance")),
});
export const plansQuery = queryOptions({
  queryKey: ["plans"],
  queryFn: async () => (await answer(rest.GET("/plans"))).plans,
});
export const ledgerQuery = (offset: number, limit: number) =>
  queryOptions({
    queryKey: ["ledger", offset, limit],
    queryFn: () => answer(own.GET("/ledger", { params: { query: { offset, limit } } })),
    placeholderData: keepPreviousData,
  });
export const checkoutsQuery = queryOptions({
  queryKey: ["checkouts"],
  queryFn: async () => (await answer(own.GET("/checkouts"))).checkouts,
});

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: async () => {
    const [subscribed, faring] = await Promise.all([
      answer(rest.GET("/webhooks")),
      answer(own.GET("/webhooks")),
    ]);
    return subscribed.webhooks.map((webhook) => ({
      ...webhook,
      state: faring.webhooks.find(({ id }) => id === webhook.id) ?? null,
    }));
  },
});
export const deliveriesQuery = (id: number, offset: number, limit: number) =>
  queryOptions({
    queryKey: ["webhooks", id, "deliveries", offset],
    queryFn: async () =>
      (
        await answer(
          rest.GET("/webhooks/{id}/deliveries", {
            params: { path: { id }, query: { offset, limit } },
          }),
        )
      ).deliveries,
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async () => (await answer(rest.GET("/keys"))).keys,
});
export const teamQuery = queryOptions({
  queryKey: ["team"],
  queryFn: () => answer(own.GET("/team")),
});
export const auditQuery = (offset: number, limit: number) =>
  queryOptions({
    queryKey: ["audit", offset, limit],
    queryFn: () => answer(own.GET("/audit", { params: { query: { offset, limit } } })),
    placeholderData: keepPreviousData,
  });
export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => versioned(own.GET("/tenant-settings"), ({ settings }) => settings),
});
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async () => (await answer(own.GET("/passkeys"))).passkeys,
});
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async () => (await answer(own.GET("/sessions"))).sessions,
});
