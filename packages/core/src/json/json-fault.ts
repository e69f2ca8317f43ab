/** Finds where text stops being JSON (RFC 8259), because the error messages of some JavaScript engines do not say where. */

/** Matches the next token and the white space before it. Unclosed and misspelled tokens do not match. */
const token =
  /[ \t\n\r]*(?:([[\]{}:,])|"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[ !#-[\]-\uffff]*)*(")|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+-])|(?:true|false|null)(?!\w))/y

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing"

/** Returns what may follow `found`, or `undefined` if it is unexpected. `open` contains the unclosed arrays and objects. */
const following = (expected: Expected, found: string, open: Array<"[" | "{">): Expected | undefined => {
  const afterValue = (): Expected => (open.length === 0 ? "nothing" : "comma or end")
  if (found === "]" || found === "}") {
    const mayEnd = expected === "comma or end" || expected === (found === "]" ? "value or end" : "name or end")
    if (!mayEnd || open.pop() !== (found === "]" ? "[" : "{")) return undefined
    return afterValue()
  }
  if (found === ":") return expected === "colon" ? "value" : undefined
  if (found === ",") return expected !== "comma or end" ? undefined : open.at(-1) === "[" ? "value" : "name"
  if (expected === "name" || expected === "name or end") return found === '"' ? "colon" : undefined
  if (expected !== "value" && expected !== "value or end") return undefined
  if (found !== "[" && found !== "{") return afterValue()
  open.push(found)
  return found === "[" ? "value or end" : "name or end"
}

/** Finds the first unexpected token, or the end of an incomplete text. Lines and columns (in UTF-16 code units) start at 1. */
export const placeOfFault = (text: string): { readonly line: number; readonly column: number } => {
  const open: Array<"[" | "{"> = []
  let expected: Expected | undefined = "value"
  let end = 0
  for (;;) {
    token.lastIndex = end
    const found = token.exec(text)
    if (found === null) break
    expected = following(expected, found[1] ?? found[2] ?? "", open)
    if (expected === undefined) break
    end = token.lastIndex
  }
  const before = text.slice(0, text.length - text.slice(end).replace(/^[ \t\n\r]+/, "").length)
  const lines = before.split("\n")
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 }
}

/** What an error's message says of a text that is not JSON. */
export const notJson = (reason: string): string => `The body is not valid JSON: ${reason}.`
