/** Matches comments, strings and quoted names, which may contain text like a parameter; words and numbers; and parameters. */
const token =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|(\?\d*|[:@#][\w$\u0080-\uffff]+|\$[\w$\u0080-\uffff]+(?:::[\w$\u0080-\uffff]*)*(?:\([^\s)]*\))?)/g

/** All parameters in the SQL in order, with their positions in the text. */
export const parametersOf = (sql: string): { readonly text: string; readonly at: number }[] =>
  [...sql.matchAll(token)].flatMap((match) => {
    const [, text] = match
    return text === undefined ? [] : [{ text, at: match.index }]
  })
