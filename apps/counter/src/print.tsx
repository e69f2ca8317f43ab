/** Printing: the rows of the view as a list, by category, or as labels. */
import { useState } from "preact/hooks"
import { CategoryName, categoryName } from "./category-names.tsx"
import { Dialog } from "./dialog.tsx"
import { FormEnd, useSending } from "./form.tsx"
import { titleOf } from "./list.tsx"
import { putOnPaper } from "./paper.ts"
import { statusOf } from "./row.tsx"
import { largestPage, type Row, readRows } from "./rows.ts"
import { named } from "./sentence.ts"
import { now, type Printing, type Session, type State, update } from "./state.ts"

/** The maximum number of printed rows. Longer lists should be exported to a file. */
const printedRows = 1_000

const kinds = [
  ["list", "The list"],
  ["by category", "The list, by category"],
  ["labels of the page", "Labels for the animals of this page that are not sold"],
  ["labels", "Labels for all animals of the list that are not sold"],
] as const

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" })

const hasLabel = ({ pet }: Row): boolean => pet.status !== "sold"

/** Reads what goes on paper. */
const readPrinting = async ({ petstore, signal }: Session, kind: Printing["kind"]): Promise<Printing> => {
  const { place, lines } = now()
  if (kind === "labels of the page")
    return { kind, rows: lines.lines.filter((line) => !line.isRemoved && hasLabel(line)), note: "" }
  const rows: Array<Row> = []
  let cursor: string | undefined
  do {
    const page = await readRows(petstore, place, cursor, signal, largestPage)
    rows.push(...(kind === "labels" ? page.rows.filter(hasLabel) : page.rows))
    cursor = page.next
  } while (cursor !== undefined && rows.length < printedRows)
  return { kind, rows, note: cursor === undefined ? "" : `Only the first ${rows.length} animals are printed.` }
}

export const PrintDialog = ({ state: { session, dialog, place } }: { readonly state: State }) => {
  const { isSending, problem, send } = useSending()
  const [kind, setKind] = useState<Printing["kind"]>("list")
  const close = (): void => update({ dialog: undefined })
  return (
    <Dialog isOpen={session !== undefined && dialog === "print"} title="print-title" onClose={close}>
      <h2 id="print-title">Print</h2>
      <p class="note" data-printed>
        <bdi>{titleOf(place)}</bdi>
      </p>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send(event.currentTarget, async (from) => {
            const printing = await readPrinting(from, kind)
            update({ dialog: undefined })
            putOnPaper(printing)
          })
        }}
      >
        {kinds.map(([value, title]) => (
          <label key={value} class="check">
            <input type="radio" name="kind" checked={kind === value} onChange={() => setKind(value)} /> {title}
          </label>
        ))}
        <FormEnd id="print-problem" problem={problem} isSending={isSending} action="Print" leave={close} />
      </form>
    </Dialog>
  )
}

/** What the paper has. The browser's own command prints only the page that the user sees. */
const headingOf = ({ printing, place, lines }: State): string => {
  const title = titleOf(place)
  const page = place.cursors.length
  const isWhole = printing !== undefined || (page === 1 && lines.next === undefined)
  return isWhole ? title : `${title.replace(/^All animals/, "Animals")}, page ${page}`
}

const Rows = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <table>
    <thead>
      <tr>
        {["Number", "Name", "Category", "Status", "Note"].map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.pet.id}>
          <td>{row.pet.id}</td>
          <td>{named(row.pet.name)}</td>
          <td>
            <CategoryName id={row.pet.categoryId} />
          </td>
          <td>{statusOf({ ...row, isRemoved: false })}</td>
          <td>
            <bdi>{row.order?.note}</bdi>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** What is on paper. If the browser's own command prints, it is the rows that the user sees. */
export const Paper = ({ state }: { readonly state: State }) => {
  const { kind, rows, note } = state.printing ?? { kind: "list", rows: state.lines.lines, note: "" }
  const categories = [...new Set(rows.map(({ pet }) => pet.categoryId))].sort((one, other) =>
    categoryName(one).localeCompare(categoryName(other)),
  )
  const isLabels = kind === "labels" || kind === "labels of the page"
  return (
    <div class="paper" data-paper aria-hidden="true">
      {!isLabels && (
        <>
          <h1>
            <bdi>{headingOf(state)}</bdi>
          </h1>
          <p>{day.format(state.freshAt ?? new Date())}.</p>
        </>
      )}
      {note !== "" && <p>{note}</p>}
      {kind === "list" && <Rows rows={rows} />}
      {kind === "by category" &&
        categories.map((id) => (
          <section key={id}>
            <h2>
              <CategoryName id={id} />
            </h2>
            <Rows rows={rows.filter(({ pet }) => pet.categoryId === id)} />
          </section>
        ))}
      {isLabels && (
        <ul class="labels">
          {rows.map(({ pet }) => (
            <li key={pet.id}>
              {named(pet.name)}
              <span>#{pet.id}</span>
              <CategoryName id={pet.categoryId} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
