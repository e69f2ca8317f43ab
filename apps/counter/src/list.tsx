/** The list, its views, search and pages. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { CategoryName, categoryName } from "./category-names.tsx"
import { int64Of } from "./int64.ts"
import type { Line } from "./lines.ts"
import { addressOf, numberOf, type Place, questionOf, type View, views } from "./place.ts"
import { useSettled } from "./press.ts"
import { goTo, showArrivals } from "./refresh.ts"
import { Actions, Reserved, Reserver, Status, statusOf } from "./row.tsx"
import { named } from "./sentence.ts"
import { type State, update } from "./state.ts"

/** How long the search waits for the next letter, in ms. */
const letterMillis = 200

/** How long a line says that it has changed, in ms. */
const changedMillis = 5_000

const viewTitles: Readonly<Record<View, string>> = {
  all: "All",
  available: "For sale",
  pending: "On hold",
  sold: "Sold",
  none: "No status",
  reserved: "Reserved",
}

const emptyTexts: Readonly<Record<View, string>> = {
  all: "The store has no animals yet. Add the first one.",
  available: "No animal is for sale.",
  pending: "No animal is on hold.",
  sold: "No animal is sold.",
  none: "Every animal has a status.",
  reserved: "Nothing is reserved. A reserved animal is listed here until it is sold or the reservation is cancelled.",
}

const listTitles: Readonly<Record<View, string>> = {
  all: "All animals",
  available: "Animals for sale",
  pending: "Animals on hold",
  sold: "Sold animals",
  none: "Animals without a status",
  reserved: "Reserved animals",
}

/** What the list has. */
export const titleOf = ({ view, text, category }: Place): string =>
  listTitles[view] + (category === undefined ? "" : `, ${categoryName(category)}`) + (text === "" ? "" : `: ${text}`)

const nothingFound = (place: Place): string => {
  const { view, text, category } = place
  const number = numberOf(place)
  const here = category === undefined ? "" : " of this category"
  if (text === "") return `No animal${here} is in this view.`
  const which = `No animal${here}${view === "all" ? "" : " in this view"}`
  if (number !== undefined && text.startsWith("#")) return `${which} has the number ${number}.`
  const where = view === "all" || view === "reserved" ? "a name, or a note of a reservation," : "a name"
  const neither = number === undefined ? "" : ", and none has this number"
  return `${which} has ${where} with a word that begins with “${text}”${neither}. Parts from the middle of a word are not found.`
}

/** Looks for the same in more animals. */
const Wider = ({ view, text, category }: Place) => {
  if (view === "all" && (text === "" || category === undefined)) return null
  const [title, place] = text === "" ? ["Look under All", {}] : ["Search all animals", { category: undefined }]
  return (
    <button class="link" type="button" onClick={() => goTo({ ...place, view: "all", cursors: [undefined] })}>
      {title}
    </button>
  )
}

const PetLink = (props: { readonly id: bigint; readonly place: Place; readonly children: ComponentChildren }) => (
  <a
    href={addressOf({ ...props.place, pet: props.id })}
    onClick={(event) => {
      // With a modifier, the browser opens the link elsewhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      goTo({ pet: props.id })
    }}
  >
    {props.children}
  </a>
)

interface LineProps {
  readonly line: Line
  readonly place: Place
  readonly edition: number
  readonly isBusy: boolean
}

const LineOf = ({ line, place, edition, isBusy }: LineProps) => {
  const { pet, order } = line
  const status = statusOf(line)
  const content = [pet.name, pet.categoryId, status, order?.id, order?.note].join("\n")
  const isSettled = useSettled(`${edition} ${content}`)
  const seen = useRef(content)
  const isSeen = useSettled(content, changedMillis)
  if (isSeen) seen.current = content
  return (
    <tr class={content === seen.current ? "" : "changed"} data-line={pet.id}>
      <td data-label="Number">{pet.id}</td>
      <th scope="row">
        <PetLink id={pet.id} place={place}>
          {named(pet.name)}
        </PetLink>
      </th>
      <td data-label="Category">
        <CategoryName id={pet.categoryId} />
      </td>
      <td class="status">
        {place.view === "reserved" && order !== undefined ? (
          <Reserved order={order} />
        ) : (
          <>
            <Status line={line} />
            {order !== undefined && <Reserver order={order} />}
          </>
        )}
      </td>
      <td class="do">
        <Actions line={line} isWaiting={isBusy || !isSettled} />
      </td>
    </tr>
  )
}

const Table = ({ state }: { readonly state: State }) => {
  const { place, lines, busy } = state
  const isReserved = place.view === "reserved"
  return (
    <table data-table class={isReserved ? "of-reserved" : ""} hidden={lines.lines.length === 0}>
      <caption class="hidden" data-caption>
        {titleOf(place)}
      </caption>
      <thead>
        <tr>
          {["Number", "Name", "Category", isReserved ? "Reserved" : "Status", "Do"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-rows>
        {lines.lines.map((line) => (
          <LineOf key={line.pet.id} line={line} place={place} edition={lines.edition} isBusy={busy.has(line.pet.id)} />
        ))}
      </tbody>
    </table>
  )
}

/** Says how the list would differ if it were read anew. It does not change by itself. */
const Waiting = ({ state: { lines } }: { readonly state: State }) => {
  const { arrivals, departures } = lines
  const isSettled = useSettled(`${arrivals} ${departures}`)
  if (arrivals === 0 && departures === 0) return null
  const text =
    arrivals === 0 ? `${departures} left this list: refresh` : `${arrivals} new ${arrivals === 1 ? "animal" : "animals"}: show`
  return (
    <button class="secondary" type="button" data-arrivals aria-disabled={!isSettled} onClick={showArrivals}>
      {text}
    </button>
  )
}

let typing: ReturnType<typeof setTimeout> | undefined

const search = (field: HTMLInputElement, place: Place): void => {
  clearTimeout(typing)
  const text = field.value.trim()
  // One search is one entry of the browser's history.
  if (text !== place.text) goTo({ text, cursors: [undefined] }, text === "" || place.text === "" ? "push" : "replace")
}

const Find = ({ state: { place, categories } }: { readonly state: State }) => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // After Back or Forward, the field shows the place's search. While the user types, it is ahead of it.
    if (field.current !== null && document.activeElement !== field.current) field.current.value = place.text
  }, [place.text])
  const unnamed = place.category !== undefined && !categories.some(({ id }) => id === place.category)
  return (
    <search class="find">
      <form
        data-find
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (field.current !== null) search(field.current, place)
        }}
      >
        <label class="hidden" for="find-text">
          Search by words of the name or of the note, or by number
        </label>
        <input
          ref={field}
          id="find-text"
          name="text"
          type="search"
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          maxLength={64}
          placeholder="Name, #12 or customer"
          aria-describedby="said"
          defaultValue={place.text}
          onInput={({ currentTarget }) => {
            clearTimeout(typing)
            typing = setTimeout(search, letterMillis, currentTarget, place)
          }}
        />
        <label class="hidden" for="find-category">
          Category
        </label>
        <select
          id="find-category"
          value={String(place.category ?? "")}
          onChange={({ currentTarget: { value } }) => goTo({ category: int64Of(value), cursors: [undefined] })}
        >
          <option value="">Every category</option>
          {unnamed && <option value={String(place.category)}>{String(place.category)}</option>}
          {categories.map(({ id, name }) => (
            <option key={id} value={String(id)} dir="auto">
              {name}
            </option>
          ))}
        </select>
      </form>
    </search>
  )
}

const Pages = ({ state, isLoading }: { readonly state: State; readonly isLoading: boolean }) => {
  const { place, lines } = state
  const { cursors } = place
  const page = cursors.length
  const earlier = cursors.slice(0, -1)
  const isTurning = useRef(false)
  useEffect(() => {
    if (isLoading || !isTurning.current) return
    isTurning.current = false
    const title = document.querySelector("#list-title")
    if (title !== null && title.getBoundingClientRect().top < 0) title.scrollIntoView()
  }, [isLoading])
  const turn = (title: string, isPossible: boolean, to: Place["cursors"]) => (
    <button
      class="secondary"
      type="button"
      aria-disabled={isLoading || !isPossible}
      onClick={() => {
        isTurning.current = true
        goTo({ cursors: to })
      }}
    >
      {title}
    </button>
  )
  return (
    <div class="pages" id="pages" tabIndex={-1}>
      {turn("First page", page > 1, [undefined])}
      {/* A page that this tab has not read has no cursor. */}
      {turn("Back", page > 1, earlier.at(-1) === undefined ? [undefined] : earlier)}
      <p data-page>{isLoading ? `Loading page ${page}…` : `Page ${page}`}</p>
      {turn("Next", lines.next !== undefined, [...cursors, lines.next])}
    </div>
  )
}

export const List = ({ state }: { readonly state: State }) => {
  const { place, lines, answered, me, removed } = state
  const isReadOnly = me?.key.readOnly === true
  const isLoading = answered !== questionOf(place)
  const found = `${lines.lines.length} found${lines.next === undefined && place.cursors.length === 1 ? "" : ` on page ${place.cursors.length}`}`
  const isEmpty = !isLoading && lines.lines.length === 0
  const isFiltered = place.text !== "" || place.category !== undefined
  return (
    <section class="list" aria-labelledby="list-title">
      <div class="list-head">
        <h2 id="list-title" tabIndex={-1}>
          List
        </h2>
        {!isReadOnly && (
          <>
            <button class="primary" type="button" onClick={() => update({ dialog: "add" })}>
              Add an animal
            </button>
            <button class="secondary" type="button" onClick={() => update({ dialog: "delivery" })}>
              Delivery
            </button>
            <button class="secondary" type="button" onClick={() => update({ dialog: "categories" })}>
              Categories
            </button>
          </>
        )}
        <a class="to-today" href="#today">
          Today
        </a>
        <Find state={state} />
        <fieldset class="views">
          <legend class="hidden">Show</legend>
          {views.map((view) => (
            <button
              key={view}
              type="button"
              data-view={view}
              aria-pressed={view === place.view}
              onClick={() => goTo({ view, cursors: [undefined] })}
            >
              {viewTitles[view]}
            </button>
          ))}
        </fieldset>
        <div class="said">
          <button class="link" type="button" onClick={() => update({ dialog: "print" })}>
            Print
          </button>
          <p class="note" id="said" data-said role="status">
            {isLoading ? "Loading…" : isFiltered ? found : ""}
          </p>
          <Waiting state={state} />
        </div>
      </div>
      <a class="past" href="#pages">
        Skip the rows
      </a>
      <div class={isReadOnly ? "read-only" : ""} data-list aria-busy={isLoading}>
        <Table state={state} />
        {isEmpty && (
          <p class="note" data-empty>
            {removed === undefined ? (
              <>
                <bdi>{isFiltered ? nothingFound(place) : emptyTexts[place.view]}</bdi>
                {isFiltered && <Wider {...place} />}
                {place.view === "all" && /^[^#]/.test(place.text) && (
                  <>
                    {" "}
                    A removed animal is under <a href="#today">What happened</a>.
                  </>
                )}
              </>
            ) : (
              <>
                Animal {removed} was removed.{" "}
                <PetLink id={removed} place={place}>
                  Look at it
                </PetLink>
              </>
            )}
          </p>
        )}
      </div>
      <Pages state={state} isLoading={isLoading} />
    </section>
  )
}
