/** Reads and changes the settings of the features. */
import { queryOptions } from "@tanstack/react-query";
import { answer, type Rest, rest, type Versioned, versioned } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import type { Change } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { useToasts } from "../../ui/toast.tsx";

export type FeatureSettings = Versioned<Rest["FeatureSettings"]>;
type Changes = Rest["FeatureSettingsChanges"];

export const featureSettingsQuery = queryOptions({
  queryKey: ["feature-settings"],
  queryFn: () => versioned(rest.GET("/feature-settings"), (reply) => reply.feature_settings),
});

/** `stale`: other queries to load again after a change. */
export function useSaveFeatures(...stale: readonly string[]) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const markStale = useStale();
  return async (body: Changes, headers: Change<object>["headers"]) => {
    await answer(rest.PATCH("/feature-settings", { body, headers }));
    await markStale("feature-settings", ...stale);
    showMessage(t("form.saved"));
  };
}
