/** Reads a request's body as JSON with exact integers. */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { takeBody } from "@petstore/bounded-http"
import { decodeJson } from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { Either } from "effect"
import { type HttpError, httpError, toHttpError } from "../error-response.js"
import { bodyFailure } from "../refusal.js"

/** The media types that a body may have, as spelled in the header. */
type MediaTypes = readonly [string, ...ReadonlyArray<string>]

const jsonTypes: MediaTypes = ["application/json"]

/** The media types of a JSON Merge Patch (RFC 7396). */
export const patchTypes: MediaTypes = ["application/merge-patch+json", "application/json"]

/** A parameter of a media type, which may be empty (RFC 9110 §5.6.6), or the end. */
const parameter = /[ \t]*(?:;[ \t]*(?:([!#-'*+.0-9A-Z^-z|~-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[!#-'*+.0-9A-Z^-z|~-]+))?|$)/y

/** Whether the parameters of a media type, which begin at `from`, are well-formed and name no charset other than UTF-8. */
const hasUtf8 = (type: string, from: number): boolean => {
  parameter.lastIndex = from
  while (parameter.lastIndex < type.length) {
    const [found, name, value] = parameter.exec(type) ?? []
    if (found === undefined || (name?.toLowerCase() === "charset" && !/^("?)utf-?8\1$/i.test(value ?? ""))) return false
  }
  return true
}

/** Whether a media type is one of these with other letters or with parameters. */
const isSpelledOtherwise = (type: string, types: MediaTypes): boolean => {
  const [name = ""] = /^[^;\s]*/.exec(type) ?? []
  return types.includes(name.toLowerCase()) && hasUtf8(type, name.length)
}

const requireJson = (request: IncomingMessage, types: MediaTypes): void => {
  const type = request.headers["content-type"]
  if (!types.includes(type ?? "") && !isSpelledOtherwise(type ?? "", types)) {
    const came = type === undefined ? "none" : showJson(type)
    throw httpError("unsupported_content_type", `Content-Type: expected ${types.join(" or ")}, got ${came}.`)
  }
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw httpError("unsupported_content_type", `Content-Encoding: expected none, got ${showJson(encoding)}.`)
  }
}

const tooLarge = (limitBytes: number): HttpError => httpError("body_too_large", `The body is larger than ${limitBytes} bytes.`)

/** Reads the body. Refuses it once it is known to be too long. Node then drops the rest, so that the client gets the response. */
const readBytes = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"]) > limitBytes) return reject(tooLarge(limitBytes))
    const breakOff = (error: Error): void => reject(bodyFailure(error))
    if (request.errored !== null) return breakOff(request.errored)
    // A request without a body has already ended.
    if (request.readableEnded) return resolve(Buffer.alloc(0))
    // The chunks go into one buffer that doubles: bytes can arrive one by one, and an object for each takes 400 times its size.
    let bytes: Buffer = Buffer.alloc(0)
    let size = 0
    const take = (chunk: Buffer) => {
      const before = size
      size += chunk.length
      if (size > limitBytes) {
        request.off("data", take)
        reject(tooLarge(limitBytes))
      } else if (before === 0) bytes = chunk
      else {
        if (size > bytes.length) bytes = Buffer.concat([bytes.subarray(0, before)], Math.max(size, 2 * before))
        chunk.copy(bytes, before)
      }
    }
    const end = (): void => resolve(bytes.subarray(0, size))
    request.on("error", breakOff)
    if (takeBody(request, take, end)) return
    request.on("data", take)
    request.once("end", end)
  })

/** Throws an `HttpError` for an unsupported content type, for a body that is too large or incomplete, and for invalid JSON. */
export const readJson = async (req: IncomingMessage, limitBytes: number, types = jsonTypes) => {
  requireJson(req, types)
  const bytes = await readBytes(req, limitBytes)
  if (!isUtf8(bytes)) throw httpError("invalid_json", "The body is not valid JSON: it is not UTF-8.")
  const text = bytes.toString("utf8")
  return { text, json: Either.getOrThrowWith(decodeJson(text), toHttpError) }
}
