/** How the features are set. */
import { queryOptions } from "@tanstack/react-query";
import { answer, rest } from "../../api/client.ts";

export const featureSettingsQuery = queryOptions({
  queryKey: ["feature-settings"],
  queryFn: async () => (await answer(rest.GET("/feature-settings"))).feature_settings,
});
