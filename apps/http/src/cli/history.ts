/** `petstore history`: prints what happened to the pets, orders and categories, newest first. */
import { type Change, ChangeRepository, type CursorExpired, encodeChanges, type PetId } from "@petstore/core"
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

/** A page that can no longer be read: the store was replaced, or old changes were removed meanwhile. */
export const failed = ({ message }: CursorExpired) => new CommandFailed({ reason: message })

const readSince = (petId: PetId | undefined, since: Date | undefined) =>
  Effect.gen(function* () {
    const { list } = yield* ChangeRepository
    const all: Array<Change> = []
    let after = Option.none<string>()
    do {
      const limit = since === undefined ? shownMaximum : pageLimit
      const { changes, next } = yield* Effect.catchTag(list({ petId, order: "desc", after, limit }), "CursorExpired", failed)
      const recent = since === undefined ? changes : changes.filter(({ at }) => at >= since)
      all.push(...recent)
      after = since === undefined || recent.length < changes.length ? Option.none() : Option.fromNullable(next)
    } while (Option.isSome(after))
    return all
  })

const whoOf = ({ by }: Change): string => {
  if (by === undefined) return "-"
  if ("command" in by) return `petstore ${by.command}`
  return `${by.account.name} (${by.key.label ?? by.key.id})`
}

/** The members that a change gave other values, and their new values. */
const detailsOf = ({ before = {}, after = {} }: Change): string => {
  const shown = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value ?? "nothing"))
  const details = (["pet", "order", "category"] as const).flatMap((resource) => {
    const from = new Map<string, unknown>(Object.entries(before[resource] ?? {}))
    const to = new Map<string, unknown>(Object.entries(after[resource] ?? {}))
    const names = [...new Set([...from.keys(), ...to.keys()])].filter((name) => name !== "id" && !name.endsWith("At"))
    const changed = names.filter((name) => shown(from.get(name)) !== shown(to.get(name)))
    const id = from.get("id") ?? to.get("id")
    if (id === undefined) return []
    const values = changed.map((name) =>
      from.size > 0 && to.size > 0
        ? `${name} ${shown(from.get(name))} → ${shown(to.get(name))}`
        : `${name} ${shown((to.size > 0 ? to : from).get(name))}`,
    )
    return [`${resource} ${id}${values.length === 0 ? "" : `: ${values.join(", ")}`}`]
  })
  return JSON.stringify(details.join("; ")).slice(1, -1).replaceAll('\\"', '"')
}

export const history = (open: OpenStore, { pet, since, ...options }: HistoryOptions) =>
  Effect.flatMap(since === undefined ? Effect.succeed(undefined) : decodeDuration("--since", since), (millis) =>
    open(function* () {
      const from = millis === undefined ? undefined : new Date(Date.now() - millis)
      const changes = yield* readSince(pet, from)
      // Not `print`, which cannot write identifiers past 2^53.
      if (options.json) return yield* Effect.promise(() => writeOut(`${encodeChanges(changes)}\n`))
      const rows = changes.map((change) => [change.at.toISOString(), change.operation, whoOf(change), detailsOf(change)])
      print(options, undefined, rows.length === 0 ? "No changes." : columns(["TIME", "OPERATION", "BY", "CHANGE"], rows))
    }),
  )
