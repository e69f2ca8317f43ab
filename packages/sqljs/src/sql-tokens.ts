/** The parameters in SQL text: the place and spelling of each. */

/** Comments, strings and quoted names, which may look like parameters inside; words and numbers; then parameters. */
const token =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|(\?\d*|[:@#][\w$\u0080-\uffff]+|\$[\w$\u0080-\uffff]+(?:::[\w$\u0080-\uffff]*)*(?:\([^\s)]*\))?)/g

/** Every parameter of the SQL in its order, with its place in the text. */
export const parametersOf = (sql: string): { readonly text: string; readonly at: number }[] =>
  [...sql.matchAll(token)].flatMap((match) => {
    const [, text] = match
    return text === undefined ? [] : [{ text, at: match.index }]
  })
