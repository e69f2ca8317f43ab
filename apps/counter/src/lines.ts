/** The lines of the list. A line keeps its place until the user asks for another list, whatever happens to its pet. */
import type { Row, Rows } from "./rows.ts"

export interface Line extends Row {
  /** Whether the pet was removed. */
  readonly isRemoved: boolean
}

export interface Lines {
  /** Another number means that the lines were replaced, so that another line may stand in each place. */
  readonly edition: number
  readonly lines: ReadonlyArray<Line>
  /** How many rows the list would have that it does not show yet. */
  readonly arrivals: number
  /** How many lines the list would not have any more. */
  readonly departures: number
  readonly next: string | undefined
}

export const noLines: Lines = { edition: 0, lines: [], arrivals: 0, departures: 0, next: undefined }

const lineOf = (row: Row): Line => ({ ...row, isRemoved: false })

/** Replaces the lines by a page. */
export const replaced = ({ edition }: Lines, { rows, next }: Rows): Lines => ({
  edition: edition + 1,
  lines: rows.map(lineOf),
  arrivals: 0,
  departures: 0,
  next,
})

/**
 * Brings the lines up to date in their places.
 *
 * @param page    the list's page as it is now
 * @param others  the rows of the shown pets that are not on that page
 */
export const refreshed = (shown: Lines, { rows, next }: Rows, others: ReadonlyArray<Row>): Lines => {
  if (shown.lines.length === 0) return replaced(shown, { rows, next })
  const now = new Map([...others, ...rows].map((row) => [row.pet.id, row]))
  const lines = shown.lines.map((line): Line => {
    const row = now.get(line.pet.id)
    return row === undefined ? { ...line, order: undefined, isRemoved: true } : lineOf(row)
  })
  const places = new Map(shown.lines.map(({ pet }, place) => [pet.id, place]))
  const lastKept = rows.findLastIndex(({ pet }) => places.has(pet.id))
  // Rows below the last one have moved up from the next page. If there was none, they are new.
  const compared = shown.next === undefined ? rows : rows.slice(0, lastKept + 1)
  const arrivals = compared.filter(({ pet }) => !places.has(pet.id)).length
  const here = new Set(rows.map(({ pet }) => pet.id))
  // A row that is not on this page has left the list, or new rows have moved it to the next page.
  const left = shown.lines.filter(({ pet }) => !here.has(pet.id)).length
  const departures = next === undefined ? left : Math.max(0, left - arrivals)
  // The shown cursor still stands behind the last shown line.
  return { edition: shown.edition, lines, arrivals, departures, next: next === undefined ? undefined : (shown.next ?? next) }
}
