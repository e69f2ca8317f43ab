/** `petstore history`: prints what happened to the pets, orders and categories, newest first. */
import { type Change, ChangeRepository, type ChangeSelection, encodeChanges, type PetId } from "@petstore/core"
import { Effect, Option } from "effect"
import { decodeDuration } from "./duration.js"
import { columns, type OutputOptions, print, writeOut } from "./output.js"
import { CommandFailed } from "./program.js"
import type { OpenStore } from "./store.js"

interface HistoryOptions extends OutputOptions {
  readonly pet?: bigint
  readonly since?: string
}

const pageLimit = 500

/** How many changes are printed if no time is given. */
const shownMaximum = 100

/** Reads a page of changes. It cannot be read if the store was replaced, or old changes were removed meanwhile. */
export const pageOfChanges = (selection: ChangeSelection) =>
  Effect.flatMap(ChangeRepository, ({ list }) =>
    Effect.catchTag(list(selection), "CursorExpired", ({ message }) => new CommandFailed({ reason: message })),
  )

const readSince = (petId: PetId | undefined, since: Date | undefined) =>
  Effect.gen(function* () {
    const all: Array<Change> = []
    const limit = since === undefined ? shownMaximum : pageLimit
    for (let after = Option.none<string>(); ; ) {
      const { changes, next } = yield* pageOfChanges({ petId, order: "desc", after, limit })
      const recent = changes.filter(({ at }) => since === undefined || at >= since)
      all.push(...recent)
      if (since === undefined || recent.length < changes.length || next === undefined) return all
      after = Option.some(next)
    }
  })

const whoOf = ({ by }: Change): string => {
  if (by === undefined) return "-"
  if ("command" in by) return `petstore ${by.command}`
  return `${by.account.name} (${by.key.label ?? by.key.id})`
}

const shown = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value ?? "nothing"))

/** The members that a change gave other values, and their new values. */
const detailsOf = ({ before = {}, after = {} }: Change): string => {
  const details = (["pet", "order", "category"] as const).flatMap((resource) => {
    const present = [before[resource], after[resource]].filter((side) => side !== undefined)
    const sides = present.map((side) => new Map<string, unknown>(Object.entries(side)))
    const names = new Set(sides.flatMap((side) => [...side.keys()].filter((name) => name !== "id" && !name.endsWith("At"))))
    const values = [...names].flatMap((name) => {
      const [one, other] = sides.map((side) => shown(side.get(name)))
      if (other === undefined) return [`${name} ${one}`]
      return one === other ? [] : [`${name} ${one} → ${other}`]
    })
    return present.slice(0, 1).map(({ id }) => `${resource} ${id}${values.length === 0 ? "" : `: ${values.join(", ")}`}`)
  })
  return JSON.stringify(details.join("; ")).slice(1, -1).replaceAll('\\"', '"')
}

export const history = (open: OpenStore, { pet, since, ...options }: HistoryOptions) =>
  open(function* () {
    const from = since === undefined ? undefined : new Date(Date.now() - (yield* decodeDuration("--since", since)))
    const changes = yield* readSince(pet, from)
    // Not `print`, which cannot write identifiers past 2^53.
    if (options.json) return yield* Effect.promise(() => writeOut(`${encodeChanges(changes)}\n`))
    const rows = changes.map((change) => [change.at.toISOString(), change.operation, whoOf(change), detailsOf(change)])
    print(options, undefined, rows.length === 0 ? "No changes." : columns(["TIME", "OPERATION", "BY", "CHANGE"], rows))
  })
