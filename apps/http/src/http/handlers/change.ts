/** `PATCH`, `PUT` and `DELETE` of a single resource, subject to the client's condition (specification, section 11). */
import type { PatchUseCase, RemoveUseCase, ReplaceUseCase, RequestFailure } from "@petstore/core/contract"
import { Either } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { conditionOf } from "../request/condition.js"
import { patchTypes, readJson } from "../request/json-body.js"
import { etagOf } from "../response/entity-tag.js"
import { sendEmpty, sendJson } from "../response/send.js"
import { andThen } from "../run.js"

/** What to do if the database became unavailable during a change. If the change happened, its condition no longer holds. */
const mayBeDone = (condition: unknown): string =>
  condition === undefined
    ? "The change may have happened. It is safe to send it again."
    : "The change may have happened, and then its condition no longer holds: read the resource before you send it again."

export const patching =
  <Id, Given, One>(
    { status }: Served,
    { decodeId, decode, run: change, encode }: PatchUseCase<Id, Given, One, RequestFailure, Services>,
  ) =>
  ({ run, bodyLimitBytes }: Parts): Handler =>
  async (exchange) => {
    const condition = conditionOf(exchange.req, encode)
    const { json } = await readJson(exchange.req, bodyLimitBytes, patchTypes)
    const given = Either.getOrThrowWith(decode(json), toHttpError)
    // Text that is not an identifier does not name a resource. The body is checked first.
    const id = Either.getOrThrowWith(decodeId(exchange.parameter), toHttpError)
    const text = encode(await run(change(id, given, condition, exchange.by), mayBeDone(condition)))
    sendJson(exchange, status, text, ["ETag", etagOf(text)])
  }

/** Handles `PUT`. The response is 201 with `Location` if the resource is new. */
export const replacing =
  <Id, Given, One extends { readonly id: bigint }>(
    { path, status }: Served,
    { decodeId, decode, run: replace, encode }: ReplaceUseCase<Id, Given, One, RequestFailure, Services>,
  ) =>
  ({ run, bodyLimitBytes, pathPrefix }: Parts): Handler =>
  async (exchange) => {
    const condition = conditionOf(exchange.req, encode)
    const { json } = await readJson(exchange.req, bodyLimitBytes)
    const given = Either.getOrThrowWith(decode(json), toHttpError)
    const id = Either.getOrThrowWith(decodeId(exchange.parameter), toHttpError)
    const { value, isNew } = await run(replace(id, given, condition, exchange.by), mayBeDone(condition))
    const text = encode(value)
    const location = isNew ? ["Location", pathPrefix + path.replace(/\{\w+\}/, String(value.id))] : []
    sendJson(exchange, isNew ? 201 : status, text, ["ETag", etagOf(text), ...location])
  }

/** Handles `DELETE`. A body is ignored. */
export const removing =
  <Id, One>({ status }: Served, { decodeId, run: remove, encode }: RemoveUseCase<Id, One, RequestFailure, Services>) =>
  ({ run }: Parts): Handler =>
  (exchange) => {
    const condition = conditionOf(exchange.req, encode)
    const id = Either.getOrThrowWith(decodeId(exchange.parameter), toHttpError)
    return andThen(run(remove(id, condition, exchange.by), mayBeDone(condition)), () => sendEmpty(exchange, status, []))
  }
