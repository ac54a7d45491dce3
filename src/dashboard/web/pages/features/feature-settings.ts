/** How the features are set: read, and changed in parts. */
import { queryOptions } from "@tanstack/react-query";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useStale } from "../../ui/mutate.ts";
import { useToasts } from "../../ui/toast.tsx";

export type FeatureSettings = Rest["FeatureSettings"];
type Changes = Rest["FeatureSettingsChanges"];

export const featureSettingsQuery = queryOptions({
  queryKey: ["feature-settings"],
  queryFn: async () => (await answer(rest.GET("/feature-settings"))).feature_settings,
});

/** `stale`: other queries that are loaded again after a change. */
export function useSaveFeatures(...stale: readonly string[]): (changes: Changes) => Promise<void> {
  const { t } = useText();
  const { showMessage } = useToasts();
  const markStale = useStale();
  return async (changes) => {
    await answer(rest.PATCH("/feature-settings", { body: changes }));
    await markStale("feature-settings", ...stale);
    showMessage(t("form.saved"));
  };
}
