/** Named filters, stored in this browser for this company. */
import { useState } from "react";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { type CallsView, queryOf, viewOf } from "./calls-view.ts";

interface SavedView {
  readonly name: string;
  readonly view: CallsView;
}

const VIEWS_MAX = 12;

/** Reads as much as possible of what another version of the dashboard stored. */
function storedViews(key: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored
      .filter((one) => typeof one?.name === "string" && typeof one.view === "object")
      .map(({ name, view }) => ({ name, view: queryOf(viewOf({ ...view })) }));
  } catch {
    return [];
  }
}

export function SavedViews(props: { view: CallsView; onView: (view: CallsView) => void }) {
  const { t } = useText();
  const { tenant } = useSession();
  const key = `linevoice.calls.${tenant?.id ?? 0}`;
  const [views, setViews] = useState(() => storedViews(key));
  const [naming, setNaming] = useState(false);
  const { offset: _, ...shown } = queryOf(props.view);
  const same = JSON.stringify(shown);
  const keep = (next: readonly SavedView[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  const isKept = views.some(({ view }) => JSON.stringify(view) === same);
  const isFiltered = same !== "{}";
  const canKeep = isFiltered && !isKept && views.length < VIEWS_MAX;
  if (views.length === 0 && !isFiltered) return null;
  return (
    <div className="row views">
      {views.map(({ name, view }) => (
        <span key={name} className="chip">
          <button
            type="button"
            aria-pressed={JSON.stringify(view) === same}
            onClick={() => props.onView(view)}
          >
            {name}
          </button>
          <IconButton
            icon="close"
            label={t("calls.forget_view", { name })}
            onClick={() => keep(views.filter((one) => one.name !== name))}
          />
        </span>
      ))}
      {canKeep && (
        <Button small icon="plus" onClick={() => setNaming(true)}>
          {t("calls.keep_view")}
        </Button>
      )}
      {isFiltered && (
        <Button small variant="ghost" onClick={() => props.onView({})}>
          {t("calls.clear")}
        </Button>
      )}
      {naming && (
        <NameView
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep([...views.filter((one) => one.name !== name), { name, view: shown }]);
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

function NameView(props: { onClose: () => void; onName: (name: string) => void }) {
  const { t } = useText();
  const form = useForm({ name: "" }, { unguarded: true });
  return (
    <FormDialog
      title={t("calls.keep_view")}
      form={form}
      action={t("action.save")}
      disabled={form.values.name.trim() === ""}
      onClose={props.onClose}
      onSend={async ({ name }) => props.onName(name.trim().slice(0, 40))}
    >
      <TextField label={t("calls.view_name")} autoFocus {...form.bind("name")} />
    </FormDialog>
  );
}
