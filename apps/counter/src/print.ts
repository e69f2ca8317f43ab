/** Prints the rows of the view, with a note if there are more rows than it prints. */
import { sentenceOf } from "./failure.ts"
import { report, sessionNow } from "./report.ts"
import { largestPage, type Row, readRows } from "./rows.ts"
import { isRefused } from "./session.ts"
import { now, update } from "./state.ts"

/** The maximum number of printed rows. Longer lists should be exported to a file. */
const printedRows = 1_000

export const printList = async (): Promise<void> => {
  const { petstore, signal } = sessionNow()
  const { place } = now()
  const rows: Array<Row> = []
  let cursor: string | undefined
  try {
    do {
      const page = await readRows(petstore, place, cursor, signal, largestPage)
      rows.push(...page.rows)
      cursor = page.next
    } while (cursor !== undefined && rows.length < printedRows)
    update({ printing: { rows, note: cursor === undefined ? "" : `Only the first ${rows.length} rows are printed.` } })
    print()
  } catch (thrown) {
    if (signal.aborted || isRefused(thrown)) return
    report(`The list was not printed: ${sentenceOf(thrown)}`, { kind: "failed" })
  }
  update({ printing: undefined })
}
