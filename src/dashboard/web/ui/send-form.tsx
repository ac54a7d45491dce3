/** Forms with a submit button: on a page, in a dialog, and for one record. */
import { type ReactNode, useState } from "react";
import { useText } from "../i18n/text.tsx";
import { Button } from "./button.tsx";
import { CurlButton, type CurlRequest } from "./copy.tsx";
import { Confirm, Dialog } from "./dialog.tsx";
import { ReadOnlyFields } from "./field.tsx";
import type { Change, Disputed, Form } from "./form.ts";
import type { IconName } from "./icon.tsx";
import { ProblemNote } from "./states.tsx";
import { ConfirmLeaving } from "./unsaved.tsx";

interface Sending<Values extends object> {
  readonly form: Form<Values>;
  readonly onSend: (values: Values, change: Change<Values>) => Promise<unknown>;
  /** The same request as a curl command, with the form's current values. */
  readonly curl?: (values: Values) => CurlRequest;
  readonly children: ReactNode;
}

interface SendFormProps<Values extends object> extends Sending<Values> {
  /** The label of the button; null: the form is read-only and has no button. */
  readonly action: string | null;
  readonly variant?: "primary" | "secondary" | "danger";
  readonly icon?: IconName;
  readonly disabled?: boolean;
  /** The browser checks required fields before submission. */
  readonly checkedByBrowser?: boolean;
}

/** The fields, the problem that belongs to no field, and the submit button. */
export function SendForm<Values extends object>(props: SendFormProps<Values>) {
  const { form, action, curl } = props;
  return (
    <form className="form" noValidate={!props.checkedByBrowser} onSubmit={form.send(props.onSend)}>
      <FormNotices form={form} />
      <ReadOnlyFields value={action === null}>{props.children}</ReadOnlyFields>
      <ProblemNote problem={form.problem} />
      {action !== null && (
        <div className="form-foot">
          <Button
            type="submit"
            variant={props.variant ?? "primary"}
            icon={props.icon}
            busy={form.busy}
            disabled={props.disabled}
          >
            {action}
          </Button>
          {curl && <CurlButton request={() => curl(form.values)} />}
        </div>
      )}
    </form>
  );
}

interface FormDialogProps<Values extends object> extends SendFormProps<Values> {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly wide?: boolean;
  readonly open?: boolean;
  readonly onClose: () => void;
}

/**
 * A dialog with one form. It stays open until the sender closes it; closing it asks if values would
 * be lost.
 */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, lead, wide, open = true, onClose, ...rest } = props;
  const { form } = props;
  const [asking, setAsking] = useState(false);
  const close = () => (form.guarded ? setAsking(true) : onClose());
  return (
    <Dialog wide={wide} title={title} lead={lead} open={open} onOpen={(to) => !to && close()}>
      <SendForm {...rest} />
      <ConfirmLeaving
        open={asking}
        onStay={() => setAsking(false)}
        onLeave={() => {
          form.discard();
          onClose();
        }}
      />
    </Dialog>
  );
}

/**
 * Notices: a restored draft, or fields that somebody else changed too, with the choice which values
 * to keep.
 */
function FormNotices<Values extends object>({ form }: { form: Form<Values> }) {
  const { t } = useText();
  const [discarding, setDiscarding] = useState(false);
  return (
    <>
      {form.restored && (
        <div className="note info" role="status">
          <span className="grow">{t("unsaved.restored")}</span>
          <Button small onClick={() => setDiscarding(true)}>
            {t("unsaved.discard")}
          </Button>
        </div>
      )}
      <Confirm
        title={t("unsaved.discard_title")}
        body={t("unsaved.body")}
        action={t("unsaved.discard")}
        cancel={t("unsaved.stay")}
        open={discarding}
        onOpen={setDiscarding}
        onConfirm={async () => form.discard()}
      />
      {form.disputed && <Comparison disputed={form.disputed} />}
    </>
  );
}

function Comparison({ disputed }: { disputed: Disputed }) {
  const { t } = useText();
  return (
    <Dialog
      wide
      open
      title={t("clash.title")}
      lead={t("clash.lead")}
      onOpen={(open) => !open && disputed.cancel()}
    >
      {disputed.clashes.map(({ name, label, mine, theirs }) => (
        <section key={name} className="stack tight">
          <h3>{label}</h3>
          <div className="columns">
            {[["clash.theirs", theirs] as const, ["clash.mine", mine] as const].map(
              ([head, value]) => (
                <div key={head}>
                  <p className="small muted">{t(head)}</p>
                  <p className="code wrap">
                    {typeof value === "boolean"
                      ? t(value ? "value.on" : "value.off")
                      : wordsOf(value) || "–"}
                  </p>
                </div>
              ),
            )}
          </div>
        </section>
      ))}
      <div className="form-foot">
        <Button variant="primary" onClick={disputed.keepMine}>
          {t("clash.keep_mine")}
        </Button>
        <Button onClick={disputed.takeTheirs}>{t("clash.take_theirs")}</Button>
      </div>
    </Dialog>
  );
}

const wordsOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(", ")
    : typeof value === "object" && value !== null
      ? JSON.stringify(value, null, 2)
      : String(value ?? "");

interface EditFormProps<Values extends object> extends Sending<Values> {
  readonly mayChange: boolean;
  /** Who may change the record, shown to people who may not. Default: members and owners. */
  readonly readOnlyNote?: string;
  /**
   * Label of the button that creates a record. Absent for an existing record, whose changes are
   * saved.
   */
  readonly create?: string;
  /** The question before deletion. Without it, the form has no delete button. */
  readonly removal?: {
    readonly title: string;
    readonly body: string;
    readonly onConfirm: () => Promise<unknown>;
  };
}

/**
 * The form of a whole page: creates a record, or saves its changes and deletes it after a question.
 */
export function EditForm<Values extends object>(props: EditFormProps<Values>) {
  const { t } = useText();
  const { form, curl, removal } = props;
  const [deleting, setDeleting] = useState(false);
  return (
    <form
      className="form"
      noValidate
      onSubmit={form.send(props.onSend)}
      // Of a text area browsers bring only the cursor into view: its lower lines stay under the bar.
      onFocus={({ target }) => {
        if (target instanceof HTMLTextAreaElement) target.scrollIntoView({ block: "nearest" });
      }}
    >
      <FormNotices form={form} />
      {!props.mayChange && <p className="note">{props.readOnlyNote ?? t("form.read_only")}</p>}
      <ReadOnlyFields value={!props.mayChange}>{props.children}</ReadOnlyFields>
      {props.mayChange && (
        <div className="form-foot sticky-foot">
          <Button
            type="submit"
            variant="primary"
            busy={form.busy}
            disabled={!props.create && !form.dirty}
          >
            {props.create ?? t("action.save")}
          </Button>
          {curl && <CurlButton request={() => curl(form.values)} />}
          {removal && (
            <>
              <span className="grow" />
              <Button variant="danger" onClick={() => setDeleting(true)}>
                {t("action.delete")}
              </Button>
            </>
          )}
          <ProblemNote problem={form.problem} />
        </div>
      )}
      {removal && (
        <Confirm
          {...removal}
          action={t("action.delete")}
          open={deleting}
          onOpen={setDeleting}
          onConfirm={() => form.leaving(removal.onConfirm)}
        />
      )}
    </form>
  );
}
