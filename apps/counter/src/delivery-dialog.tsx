/** The form for a delivery, with a preview of what would be added. */
import type { Pet } from "@petstore/client"
import type { FileDescription } from "@petstore/pet-files/page"
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { addDelivery, type Read, readRowsOf } from "./delivery.ts"
import { Dialog } from "./dialog.tsx"
import { sentenceOf } from "./failure.ts"
import { Problem, useSending } from "./form.tsx"
import { refresh } from "./refresh.ts"
import { report, untold } from "./report.ts"
import { animals, named, sentence } from "./sentence.ts"
import { type State, update } from "./state.ts"
import { statusChoices, statusWord } from "./status.ts"
import { oneAct, removeAll } from "./together.ts"

const members = [
  ["name", "Name"],
  ["categoryId", "Category"],
  ["status", "Status"],
] as const

const none = new Uint8Array()

/** A delivery without a status is for sale. */
const atFirst: FileDescription = { default: { status: "available" } }

const Select = (props: {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  readonly onChoose: (value: string) => void
}) => (
  <label>
    <bdi>{props.label}</bdi>{" "}
    <select value={props.value} onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}>
      {props.options.map(([value, text]) => (
        <option key={value} value={value} dir="auto">
          {text}
        </option>
      ))}
    </select>
  </label>
)

/** What happens to the rows with some words for a status. */
const Words = (props: { readonly words: ReadonlyArray<string>; readonly name: string; readonly children: ComponentChildren }) =>
  props.words.length === 0 ? null : (
    <p class="note" data-words={props.name}>
      <bdi>{props.words.map((word) => `“${word}”`).join(", ")}</bdi> {props.children}
    </p>
  )

export const DeliveryDialog = ({ state: { session, dialog, categories } }: { readonly state: State }) => {
  const { isSending, problem, setProblem, send } = useSending()
  const [bytes, setBytes] = useState<Uint8Array>(none)
  const [given, setGiven] = useState<FileDescription>(atFirst)
  /** The pets that have been added, by their lines, which are not added again after a failure. */
  const [added, setAdded] = useState<ReadonlyMap<number, Pet>>(new Map())
  const [act, setAct] = useState(oneAct)
  /** Whether the file needs an answer of the user: which columns there are, or what its wrong rows get. */
  const hasQuestion = useRef(false)
  /** Another number empties the form. */
  const [edition, setEdition] = useState(0)
  const read: Read | undefined = bytes.length === 0 ? undefined : readRowsOf(bytes, given, categories)
  const good = read?.rows.filter(({ pet, line }) => pet !== undefined && !added.has(line)) ?? []
  const unused = read?.columns.filter((column) => !Object.values(read.chosen).includes(column)) ?? []
  const withoutStatus = read?.rows.filter(({ pet, hasNoStatus }) => pet !== undefined && hasNoStatus).length ?? 0
  const wordsFor = (status: string) => read?.statuses.flatMap(([word, meaning]) => (meaning === status ? [word] : [])) ?? []
  const onHold = wordsFor("pending")
  const unknown = wordsFor("").filter((word) => given.statuses?.[word] === undefined)
  const wrong = read?.rows.filter(({ pet }) => pet === undefined) ?? []
  // What has opened for the user does not close again under a finger.
  hasQuestion.current ||= read !== undefined && (read.refusal !== "" || wrong.length > 0)
  /** Only the rows that cannot be added are left. */
  const isDone = !isSending && added.size > 0 && good.length === 0
  const saying = isSending
    ? `Adding… ${added.size} of ${added.size + good.length}`
    : isDone
      ? `Added ${added.size}. ${wrong.length} could not be added:`
      : `${good.length} of ${read?.rows.length ?? 0} rows can be added.`
  const close = (): void => update({ dialog: undefined })
  const take = (taken: Uint8Array): void => {
    setBytes(taken)
    setGiven(atFirst)
    setAdded(new Map())
    setAct(oneAct)
    hasQuestion.current = false
    setProblem(undefined)
  }
  const discard = (): void => {
    take(none)
    setEdition(edition + 1)
    close()
  }
  const nameOf = (id: bigint): string =>
    [...categories, ...(read?.newCategories ?? [])].find((category) => category.id === id)?.name ?? String(id)

  const add = async (form: HTMLFormElement): Promise<void> => {
    if (read === undefined) return
    const pets = new Map(added)
    await send(
      form,
      async (from) => {
        const isAdded = (line: number, pet: Pet): void => {
          pets.set(line, pet)
          setAdded(new Map(pets))
        }
        await untold(`all ${animals(good.length)} of the delivery were added`, (isUnknown) =>
          addDelivery(from, { rows: good, newCategories: read.newCategories }, act, isAdded, isUnknown),
        )
        const all = [...pets.values()]
        report(`Added ${animals(all.length)} of the delivery.`, { undo: () => removeAll(all), labels: all })
        // The rows that could not be added stay listed.
        if (wrong.length === 0) discard()
        void refresh({ isAnew: true })
      },
      async (thrown) => {
        void refresh()
        return `${animals(pets.size)} were added, the others were not: ${sentenceOf(thrown)} Add goes on with the others.`
      },
    )
  }
  return (
    <Dialog isOpen={session !== undefined && dialog === "delivery"} title="delivery-title" onClose={close}>
      <h2 id="delivery-title">A delivery</h2>
      <form
        key={edition}
        data-delivery
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void add(event.currentTarget)
        }}
      >
        <label>
          Paste rows from a sheet, with the titles of the columns{" "}
          <textarea
            rows={4}
            spellcheck={false}
            dir="auto"
            placeholder={"Name\tCategory\tStatus"}
            aria-describedby="delivery-problem"
            onInput={({ currentTarget }) => take(new TextEncoder().encode(currentTarget.value))}
          />
        </label>
        <label>
          Or a CSV file{" "}
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            aria-describedby="delivery-problem"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              void file?.arrayBuffer().then((content) => take(new Uint8Array(content)))
            }}
          />
        </label>
        {read !== undefined && (
          <>
            <p role="status" data-can-add>
              {read.refusal === "" ? saying : read.refusal}
            </p>
            <div class="trio">
              {read.statuses.map(([word, meaning]) => (
                <Select
                  key={word}
                  label={`“${word}” means`}
                  value={meaning}
                  options={statusChoices}
                  onChoose={(status) =>
                    // Safe: the options are the statuses and an empty text.
                    setGiven({ ...given, statuses: { ...given.statuses, [word]: status as "available" | "" } })
                  }
                />
              ))}
            </div>
            <Words words={unknown} name="unknown">
              {unknown.length === 1 ? "is" : "are"} not known here: choose the meaning, or the rows get no status.
            </Words>
            <Words words={onHold} name="on-hold">
              {onHold.length === 1 ? "becomes" : "become"} on hold: not for sale, but not reserved yet. After adding, press
              Reserve in the row of the animal, and say for whom.
            </Words>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls only what has the focus */}
            <section class="preview" tabIndex={0} aria-label="Preview" hidden={read.rows.length === 0}>
              <table data-preview>
                <thead>
                  <tr>
                    {["Row", "Name", "Category", "Status"].map((title) => (
                      <th key={title} scope="col">
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {(isDone ? wrong : read.rows).map(({ line, pet, hasNoStatus, problem: why }) => (
                    <tr key={line} class={pet === undefined ? "wrong" : ""}>
                      <td>{line}</td>
                      {pet === undefined ? (
                        <td colSpan={3}>
                          <bdi>{why}</bdi>
                        </td>
                      ) : (
                        <>
                          <td>{named(pet.name)}</td>
                          <td>
                            <bdi>{nameOf(pet.categoryId)}</bdi>
                          </td>
                          <td>
                            {added.has(line) ? "added" : statusWord(pet.status)}
                            {hasNoStatus && !added.has(line) && <span class="assumed"> (assumed)</span>}
                          </td>
                        </>
                      )}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
            {withoutStatus > 0 && !isDone && (
              <Select
                label={`${withoutStatus} ${withoutStatus === 1 ? "row has" : "rows have"} no status, and will be`}
                value={given.default?.status ?? ""}
                options={statusChoices}
                onChoose={(status) => setGiven({ ...given, default: { ...given.default, status } })}
              />
            )}
            {unused.length > 0 && <p class="note">Columns that are left out: {unused.join(", ")}</p>}
            {read.newCategories.length > 0 && (
              <p class="note" data-new-categories>
                New categories: {read.newCategories.map(({ name }, place) => sentence`${place > 0 ? ", " : ""}${named(name)}`)}
              </p>
            )}
            <details open={hasQuestion.current}>
              <summary>Columns, and rows without a category</summary>
              <div class="trio">
                <Select
                  label="The first row"
                  value={read.hasTitles ? "titles" : "animal"}
                  options={[
                    ["titles", "has the titles"],
                    ["animal", "is an animal"],
                  ]}
                  onChoose={(first) => setGiven({ ...given, header: first === "titles", columns: {} })}
                />
                {members.map(([member, label]) => (
                  <Select
                    key={member}
                    label={label}
                    value={read.chosen[member]}
                    options={[["", "no column"], ...read.columns.map((column) => [column, column] as const)]}
                    onChoose={(column) => setGiven({ ...given, columns: { ...given.columns, [member]: column } })}
                  />
                ))}
              </div>
              <Select
                label="Category of rows without one"
                value={given.default?.categoryId ?? ""}
                options={[["", "none"], ...categories.map(({ id, name }) => [String(id), name] as const)]}
                onChoose={(categoryId) => {
                  const { categoryId: _, ...rest } = given.default ?? {}
                  setGiven({ ...given, default: categoryId === "" ? rest : { ...rest, categoryId } })
                }}
              />
            </details>
          </>
        )}
        <Problem id="delivery-problem" problem={problem} />
        <div class="choices">
          <button class="secondary" type="button" disabled={isSending} onClick={discard}>
            {isDone ? "Done" : "Discard"}
          </button>
          <button class="primary" type="submit" aria-disabled={isSending || good.length === 0 || read?.refusal !== ""}>
            {good.length === 0 ? "Add" : `Add ${animals(good.length)}`}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
